import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from './database.ts'

/**
 * Runs work in one transaction. A fault before the commit means that nothing was done, and says so. A fault during the
 * commit leaves it unknown, so it is never a 503: a caller who repeats finds out (an Idempotency-Key makes that safe).
 */
export async function transact<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute()
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    await tx
      .rollback()
      .execute()
      .catch(() => {})
    throw error
  }
  try {
    await tx.commit().execute()
  } catch (cause) {
    throw new ApiError('service.INTERNAL', {
      message: 'The database was lost while the change was being kept: it may or may not have been made.',
      cause,
    })
  }
  return result
}
