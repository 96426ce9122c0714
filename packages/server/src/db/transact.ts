import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from './database.ts'
import { FairShare } from './fair-share.ts'
import { isRefusedCommit } from './faults.ts'

/**
 * Of the ten connections of a process some are always left for reads, and two organizations that change much at once do
 * not keep a third one waiting.
 */
const shares = { perKey: 4, total: 7, waitMs: 8000 }

/** Everything that uses the same connections shares them. */
const changes = new WeakMap<Database, FairShare>()

/** The same as {@link transact}, for changes that somebody asks for: those of one organization wait for each other. */
export function transactFor<T>(db: Database, orgId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const share = changes.get(db) ?? new FairShare(shares)
  changes.set(db, share)
  return share.run(orgId, () => transact(db, work))
}

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
