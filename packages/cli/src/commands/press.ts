import { act } from '../act.ts'
import { command } from '../command-definition.ts'
import { sandboxArgument } from '../sandbox-argument.ts'

export default command({
  name: 'press',
  summary: 'Press keys in a sandbox, one after the other.',
  arguments: [
    sandboxArgument,
    { syntax: '<keys...>', description: 'Keys such as Return or F5; those with a + are pressed together.' },
  ],
  examples: [
    { command: 'sandglass press ID ctrl+a Delete', explanation: 'Select everything and delete it.' },
  ],
  run: (context, { args: [sandbox = '', ...keys] }) =>
    act(
      context,
      sandbox,
      keys.map(key => ({ type: 'keyboard:hotkey', keys: key })),
    ),
})
