import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { expiryActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'

/** How many ends are announced in one transaction. */
const batch = 50

/**
 * Appends a sandbox.expiring event for every sandbox that expires within so many seconds. An end is announced once, however many
 * processes run this at the same time; an extension makes it another end.
 */
export async function announceEnds(db: Database, seconds: number): Promise<void> {
  const announced = await transact(db, async tx => {
    const due = tx
      .selectFrom('sandboxes')
      .select('id')
      .where('expires_at', '>', sql<Date>`now()`)
      .where('expires_at', '<=', sql<Date>`now() + make_interval(secs => ${seconds})`)
      .where(sql<boolean>`announced_end IS DISTINCT FROM expires_at`)
      .limit(batch)
      .forUpdate()
      .skipLocked()
    const rows = await tx
      .updateTable('sandboxes')
      .set({ announced_end: sql<Date>`expires_at` })
      .where('id', 'in', due)
      .returning(['id', 'org_id', 'expires_at'])
      .execute()
    for (const { id, org_id: orgId, expires_at } of rows)
      await appendEvent(tx, {
        orgId,
        type: 'sandbox.expiring',
        subject: id,
        data: { expiresAt: expires_at.toISOString() },
        actor: expiryActor,
      })
    return rows.length
  })
  if (announced === batch) await announceEnds(db, seconds)
}

/** Returns the earliest end that has not been announced yet. */
export async function nextUnannounced(db: Database): Promise<Date | undefined> {
  const { end } = await db
    .selectFrom('sandboxes')
    .select(sql<Date | null>`min(expires_at)`.as('end'))
    .where('expires_at', '>', sql<Date>`now()`)
    .where(sql<boolean>`announced_end IS DISTINCT FROM expires_at`)
    .executeTakeFirstOrThrow()
  return end ?? undefined
}
