import { command } from '../command-definition.ts'
import { findSandboxId } from '../find-by-name.ts'
import { wholeNumber } from '../quantities.ts'

export default command<{ follow?: boolean; types?: string; last?: number }>({
  name: 'events',
  summary: 'Print what happened in the organization, or to one sandbox.',
  details:
    'With -o json, every line is the JSON of one event. With --follow, only new events are printed, unless --last is given.',
  arguments: [{ syntax: '[sandbox]', description: 'Only events of this sandbox.', completes: 'sandboxes' }],
  options: [
    { flags: '-f, --follow', description: 'Go on with events as they happen, until Ctrl-C.' },
    {
      flags: '--types <types>',
      description: 'Only these types, separated by commas; sandbox.* stands for all that begin with sandbox.',
    },
    {
      flags: '-n, --last <number>',
      description: 'How many past events to print (100).',
      parse: wholeNumber(0, 100_000),
    },
  ],
  examples: [
    {
      command: "sandglass events --types 'sandbox.*' --last 5",
      explanation: 'What happened to sandboxes lately.',
    },
    {
      command: 'sandglass events ID -o json | jq -r .type',
      explanation: 'The types of the events of one sandbox.',
    },
  ],
  async run(context, { args: [sandbox], options: { follow = false, types, last } }) {
    const { printEvents } = await import('../io/events.ts')
    const sandboxId = sandbox === undefined ? undefined : await findSandboxId(context, sandbox)
    await printEvents(context, { sandboxId, types, follow, last: last ?? (follow ? 0 : 100) })
  },
})
