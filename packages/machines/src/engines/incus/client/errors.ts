import { MachineError, type MachineErrorCode } from '../../../contract/errors.ts'

/** What Incus answered instead of doing what it was asked. */
export class IncusError extends MachineError {
  /** The status code of the answer; 400 for an operation that failed. */
  readonly status: number
  /** Incus' own words. */
  readonly reason: string

  constructor(code: MachineErrorCode, what: string, status: number, reason: string) {
    super(code, `${what}: ${reason || `Incus answered with status ${status}`}.`.replace(/\.\.$/, '.'))
    this.status = status
    this.reason = reason
  }
}

/** How Incus words that the member it forwarded a request to does not answer. It uses status 500 for that. */
const memberGone =
  /dial tcp|i\/o timeout|connection (refused|reset)|no route to host|broken pipe|unexpected EOF|: EOF$|unable to connect|failed to connect|missing event connection|server isn't ready|(member|server|node) .*offline|no available dqlite leader|database is locked|context deadline exceeded/i
const wrongState =
  /(not|already|isn't|currently) (running|stopped|frozen|started)|busy|in progress|is (paused|frozen)/i

/** Turns a refused request, or an operation that failed, into the error that callers decide by. */
export function refusal(what: string, status: number, reason: string, isOperation = false): IncusError {
  return new IncusError(codeOf(status, reason, isOperation), what, status, reason)
}

function codeOf(status: number, reason: string, isOperation: boolean): MachineErrorCode {
  if (/no space left on device|disk quota exceeded/i.test(reason)) return 'HOST_FULL'
  if (status >= 502 || ((status >= 500 || isOperation) && memberGone.test(reason))) return 'UNREACHABLE'
  if (status === 404) return 'NOT_FOUND'
  if (/already exists|already in use|UNIQUE constraint/i.test(reason)) return 'EXISTS'
  if (status === 409 || status === 412 || status === 423 || wrongState.test(reason)) return 'STATE'
  if (isOperation) return /not found$/i.test(reason) ? 'NOT_FOUND' : 'MACHINE_FAILED'
  return status >= 500 ? 'MACHINE_FAILED' : 'INVALID'
}

export function unreachable(message: string, cause?: unknown): MachineError {
  return new MachineError('UNREACHABLE', message, { cause })
}

/** The reason of a failure, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
