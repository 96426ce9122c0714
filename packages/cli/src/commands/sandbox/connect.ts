import { command } from '../../command-definition.ts'
import { UsageError } from '../../failures.ts'
import { findSandboxId } from '../../find-by-name.ts'

export default command<{ workingDirectory?: string }>({
  name: 'connect',
  summary: 'Open a shell in a sandbox, in this terminal.',
  details:
    'The shell is the login shell of the user of the sandbox. If the connection is lost, it goes on with the same shell as soon ' +
    'as the service can be reached again.',
  arguments: [{ syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' }],
  options: [{ flags: '-w, --working-directory <path>', description: 'The folder in which it begins.' }],
  examples: [
    {
      command: "script -qec 'sandglass sandbox connect ID' /dev/null <<< exit",
      explanation: 'Open a shell, and leave it at once.',
    },
  ],
  async run(context, { args: [sandbox = ''], options: { workingDirectory: cwd } }) {
    if (!context.stdin.isTTY || !context.stdout.isTTY)
      throw new UsageError(
        'There is no terminal here.',
        'Use `sandglass sandbox exec` to run a command without one.',
      )
    const [{ Sandbox }, { runRemotely }, sandboxId, client] = await Promise.all([
      import('@sandglass/client'),
      import('../../io/remote-command.ts'),
      findSandboxId(context, sandbox),
      context.client(),
    ])
    return runRemotely(context, Sandbox.connect(sandboxId, { client }), {
      line: `exec "\${SHELL:-sh}" -l`,
      hasTerminal: true,
      hasInput: true,
      isKept: true,
      cwd,
    })
  },
})
