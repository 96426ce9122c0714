import { act } from '../act.ts'
import { command } from '../command-definition.ts'
import { readText } from '../read-text.ts'
import { sandboxArgument } from '../sandbox-argument.ts'

export default command<{ enter?: boolean }>({
  name: 'type',
  summary: 'Type a text in a sandbox.',
  arguments: [sandboxArgument, { syntax: '[text]', description: 'The text; standard input unless given.' }],
  options: [{ flags: '--enter', description: 'Press Return after it.' }],
  examples: [
    {
      command: "sandglass type ID 'Hello, world' --enter",
      explanation: 'Into the window that has the focus.',
    },
    { command: 'date | sandglass type ID', explanation: 'What a program prints.' },
  ],
  async run(context, { args: [sandbox = '', given], options: { enter } }) {
    const content = await readText(context, given, 'text')
    await act(context, sandbox, [
      { type: 'keyboard:type', content },
      ...(enter ? [{ type: 'keyboard:hotkey', keys: 'Return' } as const] : []),
    ])
  },
})
