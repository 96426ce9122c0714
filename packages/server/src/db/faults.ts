import { ApiError } from '@sandglass/protocol'
import pg from 'pg'

/** SQLSTATEs after which PostgreSQL has done nothing: no connection, shutting down, timed out, or a lost race. */
const nothingDone = new Set([
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '40001',
  '40P01',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
])

/** SQLSTATEs for text that PostgreSQL cannot hold, such as a zero byte. */
const unstorableText = new Set(['22021', '22P05'])

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'])

/** What pg says, with no code, when a connection is lost or none can be had. */
const lost =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** True where the database was not reachable or ended the work, so that nothing was done. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return nothingDone.has(error.code ?? '')
  if (!(error instanceof Error)) return false
  return ('code' in error && unreachable.has(String(error.code))) || lost.test(error.message)
}

/** An error of the database as the caller should see it; undefined where it is a fault of ours. */
export function asApiError(error: unknown): ApiError | undefined {
  if (isUnavailable(error)) return new ApiError('service.UNAVAILABLE', { retryAfter: 1, cause: error })
  if (error instanceof pg.DatabaseError && unstorableText.has(error.code ?? ''))
    return new ApiError('request.INVALID', {
      message: 'A text holds a character that cannot be stored, such as a zero byte.',
      cause: error,
    })
  return undefined
}

/** True where a lock that another transaction holds was not let go in time. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}
