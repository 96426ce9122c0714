import type { SandglassError } from '@sandglass/client'
import { CliError, exitCodes, Interrupted } from './failures.ts'
import type { Style } from './style.ts'

export interface Failure {
  readonly exitCode: number
  /** Nothing is printed for a person who ended the command. */
  readonly text: string
}

/** What is printed for an error, and the exit code. There is a stack only with SANDGLASS_DEBUG. */
export function describeFailure(error: unknown, style: Style, isDebugging: boolean): Failure {
  if (error instanceof Interrupted) return { exitCode: error.exitCode, text: '' }
  const message = error instanceof Error ? error.message : String(error)
  const lines = [`${style.red('error:')} ${message}`]
  const fix = error instanceof CliError ? error.fix : isServiceError(error) ? adviceFor(error) : undefined
  if (fix) lines.push(fix)
  if (isServiceError(error) && error.requestId)
    lines.push(style.dim(`(${error.code}, request ${error.requestId})`))
  if (isDebugging && error instanceof Error) lines.push(style.dim(stackOf(error)))
  return {
    exitCode: error instanceof CliError ? error.exitCode : exitCodes.failure,
    text: `${lines.join('\n')}\n`,
  }
}

/** The library is loaded only by commands that call the service, so its classes are not at hand here. */
function isServiceError(error: unknown): error is SandglassError {
  return error instanceof Error && 'code' in error && 'requestId' in error
}

function adviceFor({ code, status }: SandglassError): string | undefined {
  if (code === 'client.NOT_CONFIGURED') return 'Run `sandglass login`, or `sandglass up` in a checkout.'
  if (code === 'client.NOT_SENT')
    return 'Run `sandglass up` in a checkout to start a service, or `sandglass login` to use another one.'
  if (status === 401)
    return 'Run `sandglass whoami` to see which key is used, and `sandglass login` to use another one.'
  if (status === 403) return 'Run `sandglass whoami` to see the role of the key that is used.'
  return undefined
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
