import { command } from '../command-definition.ts'
import { findSandboxId } from '../find-by-name.ts'

/** More than the service keeps of one sandbox. */
const everything = 1_000_000

export default command<{ follow?: boolean }>({
  name: 'logs',
  summary: 'Print the history of a sandbox: its states, commands, ports, snapshots and takeovers.',
  details:
    'It is kept after the sandbox has ended. What a program of the machine prints is in its own files: see `sandglass sandbox exec`.',
  arguments: [{ syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' }],
  options: [
    { flags: '-f, --follow', description: 'Go on as things happen, until the sandbox ends or Ctrl-C.' },
  ],
  examples: [{ command: 'sandglass logs ID', explanation: 'Everything that happened to a sandbox.' }],
  async run(context, { args: [sandbox = ''], options: { follow = false } }) {
    const { printEvents } = await import('../io/events.ts')
    await printEvents(context, {
      sandboxId: await findSandboxId(context, sandbox),
      types: undefined,
      follow,
      last: everything,
      isLast: ({ type }) => type === 'sandbox.deleted',
    })
  },
})
