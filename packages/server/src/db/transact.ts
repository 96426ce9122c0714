import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from './database.ts'
import { FairShare } from './fair-share.ts'
import { isRefusedCommit } from './faults.ts'

/**
 * Leaves some of the ten connections of a process free for reads. Two organizations that make many changes at once
 * cannot block a third.
 */
const shares = { perKey: 4, total: 7, waitMs: 8000 }

/** All changes that use the same connections share one limit. */
const changes = new WeakMap<Database, FairShare>()

/**
 * Like {@link transact}, for changes that callers request. Changes of one organization queue behind each other, so
 * that it cannot use up the connections.
 */
export function transactFor<T>(db: Database, orgId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const share = changes.get(db) ?? new FairShare(shares)
  changes.set(db, share)
  return share.run(orgId, () => transact(db, work))
}

/** What each running transaction does before it commits. */
const endings = new WeakMap<Tx, (() => Promise<void>)[]>()

/**
 * Lets a transaction do something at its end, before it commits, so that several writes can become one statement. Returns false for a
 * transaction that {@link transact} does not run.
 */
export function beforeCommit(tx: Tx, work: () => Promise<void>): boolean {
  const ending = endings.get(tx)
  ending?.push(work)
  return ending !== undefined
}

/**
 * Runs work in one transaction. An error before the commit means that nothing was changed, and the error says so. If
 * a commit gets no response, its outcome is unknown, so that is never reported as a 503. The caller can retry to find
 * out, which is safe with an Idempotency-Key.
 */
export async function transact<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute()
  // A rollback also returns the connection to the pool, even after a failed commit.
  const rollBack = () =>
    tx
      .rollback()
      .execute()
      .catch(() => {})
  const ending: (() => Promise<void>)[] = []
  endings.set(tx, ending)
  let result: T
  try {
    result = await work(tx)
    for (const each of ending) await each()
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
