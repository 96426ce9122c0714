import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from './database.ts'
import { isRefusedCommit } from './faults.ts'

/**
 * Runs work in one transaction. A fault before the commit means that nothing was done, and says so. A commit that gets no
 * answer leaves it unknown, so it is never a 503: a caller who repeats finds out (an Idempotency-Key makes that safe).
 */
export async function transact<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute()
  // Also what gives the connection back, after a commit that failed as well.
  const rollBack = () =>
    tx
      .rollback()
      .execute()
      .catch(() => {})
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    await rollBack()
    throw error
  }
  try {
    await tx.commit().execute()
  } catch (cause) {
    await rollBack()
    throw isRefusedCommit(cause) ? cause : new ApiError('service.OUTCOME_UNKNOWN', { cause })
  }
  return result
}
