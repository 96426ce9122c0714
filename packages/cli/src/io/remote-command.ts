import type { Sandbox } from '@sandglass/client'
import type { Context } from '../context.ts'
import { CliError } from '../failures.ts'
import { inBatches } from './input.ts'
import { RawTerminal } from './raw-terminal.ts'
import { writeAll } from './write-all.ts'

type Shell = Awaited<ReturnType<Sandbox['shell']>>

/** What `timeout` of coreutils returns, too. */
const timedOutCode = 124

export interface RemoteCommand {
  /** A line for the shell of the machine. */
  readonly line: string
  readonly hasTerminal: boolean
  /** Whether what comes on stdin is passed on. */
  readonly hasInput: boolean
  readonly cwd?: string | undefined
  readonly timeoutSeconds?: number | undefined
  /** Whether it goes on while the connection is lost for longer. Otherwise it ends some seconds after that. */
  readonly isKept?: boolean | undefined
}

/**
 * Runs a command in a sandbox with the input, output and terminal of this process, and returns its exit code. If this process is
 * interrupted, the command is ended with everything that it started.
 */
export async function runRemotely(context: Context, box: Sandbox, command: RemoteCommand): Promise<number> {
  const { stdin, stdout, stderr, signal } = context
  const { line, hasTerminal, hasInput, cwd, timeoutSeconds, isKept = false } = command
  const shell = await box.shell(line, {
    tty: hasTerminal,
    // A terminal without a window has no size.
    ...(hasTerminal && stdout.rows > 0 && { rows: stdout.rows, cols: stdout.columns }),
    cwd,
    maxSeconds: timeoutSeconds,
    ephemeral: !isKept,
    signal,
  })
  await using _ = shell
  using _terminal = hasTerminal && stdin.isTTY ? new RawTerminal(stdin) : undefined
  const stopResizing = hasTerminal && stdout.isTTY ? followSize(stdout, shell) : undefined
  if (hasInput) void passInput(stdin, shell)
  try {
    for await (const part of shell) {
      if (part.dropped)
        throw new CliError(
          `${part.dropped} bytes of the output were lost, because the connection was lost for too long.`,
        )
      if (part.stdout) await writeAll(stdout, part.stdout)
      if (part.stderr) await writeAll(stderr, part.stderr)
    }
    return exitCodeOf(await shell.exit, timeoutSeconds)
  } finally {
    stopResizing?.()
    // A terminal or pipe that is still read would keep this process running.
    stdin.destroy()
  }
}

function exitCodeOf(
  { exitCode, timedOut }: { readonly exitCode?: number | undefined; readonly timedOut?: boolean | undefined },
  timeoutSeconds: number | undefined,
): number {
  if (timedOut)
    throw new CliError(`The command was ended after ${timeoutSeconds} seconds.`, undefined, timedOutCode)
  if (exitCode === undefined)
    throw new CliError('The command ended with its machine.', 'See why with `sandglass logs`.')
  return exitCode
}

/** The command may end without having read everything. */
async function passInput(stdin: NodeJS.ReadStream, shell: Shell): Promise<void> {
  try {
    for await (const bytes of inBatches(stdin)) await shell.write(bytes)
    await shell.end()
  } catch {}
}

/** Tells the terminal of the machine how large this one is, one call at a time. */
function followSize(stdout: NodeJS.WriteStream, shell: Shell): () => void {
  let last = Promise.resolve()
  const resize = () => {
    last = last.then(() => shell.resize(stdout.rows, stdout.columns)).catch(() => {})
  }
  stdout.on('resize', resize)
  return () => stdout.off('resize', resize)
}
