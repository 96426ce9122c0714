import { spawn } from 'node:child_process'

export interface CommandOptions {
  readonly input?: string
  readonly signal?: AbortSignal
  /** Called with each line of both outputs as it arrives. Programs that show their progress end lines with a return. */
  readonly onLine?: (line: string) => void
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

/** A command on the host failed. The message contains its output. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: number | null
  readonly output: string

  constructor(command: string, exitCode: number | null, output: string) {
    super(`${command} ended with ${exitCode ?? 'a signal'}: ${output.trim().slice(-2000)}`)
    this.exitCode = exitCode
    this.output = output
  }
}

/** Runs a command on the host and returns its standard output. */
export function runCommand(
  command: string,
  args: readonly string[],
  o: CommandOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: [o.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(o.signal && { signal: o.signal, killSignal: 'SIGKILL' as const }),
      ...(o.env && { env: o.env }),
      ...(o.cwd !== undefined && { cwd: o.cwd }),
    })
    let stdout = ''
    let stderr = ''
    let partial = ''
    const forward = (text: string) => {
      if (!o.onLine) return
      const lines = (partial + text).split(/\r?\n|\r/)
      partial = lines.pop() ?? ''
      for (const line of lines) o.onLine(line)
    }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      forward(text)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      forward(text)
    })
    child.on('error', reject)
    child.on('close', code =>
      code === 0 ? resolve(stdout) : reject(new CommandFailed(command, code, stderr || stdout)),
    )
    // A command that exits before it has read its input reports the reason itself.
    child.stdin?.on('error', () => {}).end(o.input)
  })
}
