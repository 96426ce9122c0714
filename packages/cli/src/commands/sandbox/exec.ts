import { command } from '../../command-definition.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { parseDuration } from '../../quantities.ts'

interface Options {
  readonly tty?: boolean
  readonly workingDirectory?: string
  readonly timeout?: number
  readonly stdin?: boolean
}

export default command<Options>({
  name: 'exec',
  summary: 'Run a command in a sandbox.',
  details:
    'The exit code of the command is that of this one, and what it prints comes on stdout and stderr. A pipe or file on stdin is ' +
    'passed on. Ctrl-C ends the command with everything that it started; with -t it is typed into its terminal. The words are ' +
    "not read by a shell: for pipes and variables, run sh -c '…'.",
  arguments: [
    { syntax: '<sandbox>', description: 'Its id or name.', completes: 'sandboxes' },
    { syntax: '<command...>', description: 'The program and its arguments, after --.' },
  ],
  options: [
    {
      flags: '-t, --tty',
      description: 'Give it a terminal of the size of this one, for interactive programs.',
    },
    { flags: '-w, --working-directory <path>', description: 'The folder in which it runs.' },
    {
      flags: '--timeout <time>',
      description: 'End it after this time, such as 90s or 10m. The exit code is then 124.',
      parse: parseDuration,
    },
    { flags: '-n, --no-stdin', description: 'Do not pass stdin on.' },
  ],
  examples: [
    { command: 'sandglass sandbox exec ID -- uname -a', explanation: 'Run a program.' },
    {
      command: 'echo hello | sandglass sandbox exec ID -- tr a-z A-Z',
      explanation: 'Send something through a program.',
    },
    { command: "sandglass sandbox exec ID -w /tmp -- sh -c 'ls | wc -l'", explanation: 'Use a shell.' },
  ],
  async run(context, { args: [sandbox = '', ...words], options }) {
    const { tty = false, workingDirectory: cwd, timeout: timeoutSeconds, stdin = true } = options
    const [{ Sandbox }, { runRemotely }, { hasInput }, { quote }, sandboxId, client] = await Promise.all([
      import('@sandglass/client'),
      import('../../io/remote-command.ts'),
      import('../../io/input.ts'),
      import('../../io/quote.ts'),
      findSandboxId(context, sandbox),
      context.client(),
    ])
    const passesInput = stdin && (tty || hasInput(context.stdin))
    return runRemotely(context, Sandbox.connect(sandboxId, { client }), {
      // The shell is replaced by the program, so that its signals and exit code are those of the program.
      line: `exec ${quote(...words)}${passesInput ? '' : ' </dev/null'}`,
      hasTerminal: tty,
      hasInput: passesInput,
      cwd,
      timeoutSeconds,
    })
  },
})
