import type { CallOptions } from '../call-options.ts'
import { SandglassError } from '../errors.ts'
import { base64Of, bytesOf } from './base64.ts'
import type { Target } from './target.ts'

/** The longest that the service lets a program run. */
const longestSeconds = 240

export interface RunOptions extends CallOptions {
  /** The folder in which it runs. The home of the user by default. */
  readonly cwd?: string | undefined
  /** What it reads, up to about 700 KiB. A shell takes more. */
  readonly stdin?: string | Uint8Array | undefined
  /**
   * After how many seconds it is killed, which is not an error: `timedOut` is true then. 240 by default, which is also the most. A
   * shell runs for longer. `timeoutMs`, as everywhere, is an error instead; it also kills the program.
   */
  readonly maxSeconds?: number | undefined
  /** Whether an exit code other than 0 is thrown as an {@link ExitError}. It is not, by default. */
  readonly check?: boolean | undefined
}

/** What a program did. */
export interface RunResult {
  readonly stdout: string
  readonly stderr: string
  /** The output as it is, for what is not text. */
  readonly stdoutBytes: Uint8Array<ArrayBuffer>
  readonly stderrBytes: Uint8Array<ArrayBuffer>
  /** 128+n if signal n ended it. */
  readonly exitCode: number
  /** Whether only the first MiB of the output is here. */
  readonly stdoutTruncated: boolean
  readonly stderrTruncated: boolean
  /** Whether it was killed after `maxSeconds`. */
  readonly timedOut: boolean
}

/** A program has failed, and `check` was set. */
export class ExitError extends SandglassError {
  readonly result: RunResult

  constructor(command: string, result: RunResult) {
    const lastLine = result.stderr.trimEnd().split('\n').at(-1)
    super(
      `${command} ${result.timedOut ? 'was ended because its time was over' : `exited with ${result.exitCode}`}` +
        `${lastLine ? `: ${lastLine}` : ''}`,
      { code: 'client.EXIT' },
    )
    this.result = result
  }
}

/** Runs a program to its end in one request. */
export async function runProgram(
  { client, sandboxId }: Target,
  [executable, ...args]: readonly [string, ...string[]],
  options: RunOptions = {},
): Promise<RunResult> {
  const { cwd, stdin, maxSeconds = longestSeconds, check = false } = options
  const body = {
    executable,
    args,
    timeoutSeconds: maxSeconds,
    ...(cwd !== undefined && { workingDirectory: cwd }),
    ...(stdin !== undefined && {
      stdinBase64: base64Of(typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    }),
  }
  const answer = await client.execSandboxProcess({ sandboxId, body }, options)
  const [stdoutBytes, stderrBytes] = [bytesOf(answer.stdoutBase64), bytesOf(answer.stderrBase64)]
  const result = {
    stdout: textOf(stdoutBytes),
    stderr: textOf(stderrBytes),
    stdoutBytes,
    stderrBytes,
    exitCode: answer.exitCode,
    stdoutTruncated: answer.stdoutTruncated === true,
    stderrTruncated: answer.stderrTruncated === true,
    timedOut: answer.timedOut === true,
  }
  if (check && (result.exitCode !== 0 || result.timedOut)) throw new ExitError(executable, result)
  return result
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
