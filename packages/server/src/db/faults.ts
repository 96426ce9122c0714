import { ApiError } from '@sandglass/protocol'
import pg from 'pg'
import { DatabaseLostError } from './lost-connection.ts'
import { DatabaseSilentError } from './silence.ts'

const unreachable = 'The database cannot be reached'
const busy = 'The database took too long'
const full = 'The database has no disk space left'
const exhausted = 'The database is out of memory or another resource'
const broken = 'The database cannot read or write its disk'

/** Maps SQLSTATEs to a description of the problem. After each of these errors PostgreSQL has changed nothing. */
const nothingDone: Readonly<Record<string, string>> = {
  '08000': unreachable,
  '08001': unreachable,
  '08003': unreachable,
  '08004': unreachable,
  '08006': unreachable,
  // A prepared statement no longer fits its table, because another process has just upgraded the database.
  '0A000': 'The database was upgraded',
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

/** SQLSTATEs for text that PostgreSQL cannot store, such as a zero byte. */
const unstorableText = new Set(['22021', '22P05'])

/**
 * Describes the problem if the database was unreachable or aborted the work, so that nothing was changed. Returns
 * undefined for all other errors.
 */
export function unavailability(error: unknown): string | undefined {
  if (error instanceof DatabaseSilentError) return 'The database does not answer'
  if (error instanceof DatabaseLostError) return unreachable
  return error instanceof pg.DatabaseError ? nothingDone[error.code ?? ''] : undefined
}

/** Returns true if the database was unreachable or aborted the work, so that nothing was changed. */
export function isUnavailable(error: unknown): boolean {
  return unavailability(error) !== undefined
}

/**
 * Converts an error of the database into the error that the caller receives. Returns undefined if the error is a bug
 * in this service.
 */
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
      fields: { issues: [{ path: '', message: 'a text contains a character that cannot be stored' }] },
      cause: error,
    })
  return undefined
}

/** Returns true if another transaction did not release a lock in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Returns true if the server itself reported that it did not commit. After any other error it may have committed. */
export function isRefusedCommit(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}
