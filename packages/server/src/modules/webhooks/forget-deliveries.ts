import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** A statement deletes no more than this, so that it ends long before its timeout. */
const deletedAtOnce = 5000

/**
 * Deletes what was sent, or given up, more than so many days ago, the oldest of these if a webhook has more than `max` deliveries,
 * and the deliveries of webhooks that were deleted. What is still to be sent stays.
 */
export async function forgetDeliveries(
  db: Database,
  days: number,
  max = Number.POSITIVE_INFINITY,
): Promise<void> {
  await deleteAll(
    db,
    sql`created_at < now() - make_interval(secs => ${days * 86_400}) AND status <> 'pending'`,
  )
  if (Number.isFinite(max))
    for (const { id, last } of await crowdedWebhooks(db, max))
      await deleteAll(db, sql`webhook_id = ${id} AND id <= ${last}::bigint AND status <> 'pending'`)
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

/** Returns the webhooks that have more deliveries than so many, each with the newest that is too much. */
async function crowdedWebhooks(db: Database, max: number): Promise<{ id: string; last: string }[]> {
  const { rows } = await sql<{ id: string; last: string }>`
    SELECT webhooks.id, delivery.id AS last FROM webhooks CROSS JOIN LATERAL (
      SELECT id FROM webhook_deliveries WHERE webhook_id = webhooks.id ORDER BY id DESC OFFSET ${max} LIMIT 1
    ) AS delivery`.execute(db)
  return rows
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
