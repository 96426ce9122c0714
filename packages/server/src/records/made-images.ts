import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'

/** Sets the images that a node was building or importing to ERROR. */
export async function failInterruptedImages(
  db: Database | Tx,
  nodeId: string,
  reason: string,
): Promise<void> {
  await failOlderImages(db, nodeId, reason, [], 0)
}

/** Does the same for images that are so many seconds old, except for those that the node still makes. */
export async function failOlderImages(
  db: Database | Tx,
  nodeId: string,
  reason: string,
  isMade: readonly string[],
  seconds: number,
): Promise<void> {
  let query = db
    .updateTable('machine_images')
    .set({ status: 'ERROR', reason, made_by_node: null })
    .where('made_by_node', '=', nodeId)
    .where('status', '=', 'CREATING')
    .where('created_at', '<=', sql<Date>`now() - make_interval(secs => ${seconds})`)
  if (isMade.length > 0) query = query.where('id', 'not in', isMade)
  await query.execute()
}

/** Gives a new image its disk, which must be ready, and makes it READY. Returns false if it was deleted or has failed meanwhile. */
export async function finishImage(
  tx: Tx,
  id: string,
  diskId: string,
  sealedEnv: string | undefined,
): Promise<boolean> {
  const row = await tx
    .updateTable('machine_images')
    .set({ status: 'READY', disk_id: diskId, sealed_env: sealedEnv ?? null, made_by_node: null })
    .where('id', '=', id)
    .where('status', '=', 'CREATING')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Locks a new image before its disk. Deleting an image locks them in this order too. */
export async function lockImage(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('machine_images').select('id').where('id', '=', id).forUpdate().execute()
}

export async function failImage(db: Database | Tx, id: string, reason: string): Promise<void> {
  await db
    .updateTable('machine_images')
    .set({ status: 'ERROR', reason, made_by_node: null })
    .where('id', '=', id)
    .where('status', '=', 'CREATING')
    .execute()
}
