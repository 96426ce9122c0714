import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** A statement deletes no more than this, so that it ends long before its timeout. */
const deletedAtOnce = 5000

/** Deletes what was sent, or given up, more than so many days ago, and the deliveries of webhooks that were deleted. */
export async function forgetDeliveries(db: Database, days: number): Promise<void> {
  await deleteAll(
    db,
    sql`created_at < now() - make_interval(secs => ${days * 86_400}) AND status <> 'pending'`,
  )
  for (const webhookId of await deletedWebhooks(db)) await deleteAll(db, sql`webhook_id = ${webhookId}`)
}

async function deleteAll(db: Database, which: ReturnType<typeof sql>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN (
        SELECT webhook_id, id FROM webhook_deliveries WHERE ${which} LIMIT ${deletedAtOnce})`.execute(db)
    if (numAffectedRows < deletedAtOnce) return
  }
}

/** Goes from one webhook to the next in the index, however many deliveries each of them has. */
async function deletedWebhooks(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE known AS (
      (SELECT webhook_id AS id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT (SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > known.id ORDER BY webhook_id LIMIT 1)
      FROM known WHERE known.id IS NOT NULL)
    SELECT id FROM known WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM webhooks)`.execute(db)
  return rows.map(({ id }) => id)
}
