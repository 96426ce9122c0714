import { ApiError } from '@sandglass/protocol'
import pg from 'pg'
import { DatabaseSilentError } from './silence.ts'

const unreachable = 'The database cannot be reached'
const busy = 'The database took too long'
const full = 'The database has no disk space left'
const exhausted = 'The database is out of memory or another resource'
const broken = 'The database cannot read or write its disk'

/** SQLSTATEs of an error after which PostgreSQL has done nothing, and what is wrong in words. */
const nothingDone: Readonly<Record<string, string>> = {
  '08000': unreachable,
  '08001': unreachable,
  '08003': unreachable,
  '08004': unreachable,
  '08006': unreachable,
  '40001': busy,
  '40P01': busy,
  '53000': exhausted,
  '53100': full,
  '53200': exhausted,
  '53300': 'The database has no connection left',
  '53400': exhausted,
  '55P03': busy,
  '57014': busy,
  '57P01': unreachable,
  '57P02': unreachable,
  '57P03': unreachable,
  '57P05': busy,
  '58000': broken,
  '58030': broken,
}

/** SQLSTATEs for text that PostgreSQL cannot hold, such as a zero byte. */
const unstorableText = new Set(['22021', '22P05'])

const socketErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'])

/** What pg says, with no code, when a connection is lost or none can be had. */
const lost =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** What is wrong where the database was not reachable or ended the work, so that nothing was done. */
export function unavailability(error: unknown): string | undefined {
  if (error instanceof DatabaseSilentError) return 'The database does not answer'
  if (error instanceof pg.DatabaseError) return nothingDone[error.code ?? '']
  if (!(error instanceof Error)) return undefined
  const isLost = ('code' in error && socketErrors.has(String(error.code))) || lost.test(error.message)
  return isLost ? unreachable : undefined
}

/** True where the database was not reachable or ended the work, so that nothing was done. */
export function isUnavailable(error: unknown): boolean {
  return unavailability(error) !== undefined
}

/** An error of the database as the caller should see it; undefined where it is a fault of ours. */
export function asApiError(error: unknown): ApiError | undefined {
  const reason = unavailability(error)
  if (reason !== undefined)
    return new ApiError('service.UNAVAILABLE', {
      message: `${reason}, and nothing was done.`,
      retryAfter: 1,
      cause: error,
    })
  if (error instanceof pg.DatabaseError && unstorableText.has(error.code ?? ''))
    return new ApiError('request.INVALID', {
      message: 'A text contains a character that cannot be stored, such as a zero byte.',
      cause: error,
    })
  return undefined
}

/** True where a lock that another transaction holds was not let go in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** True where the server itself answered that it did not commit. After anything else it may have. */
export function isRefusedCommit(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
