import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { appendImageEvents } from './disk-events.ts'

/** Sets the images that a node was building or importing to ERROR. */
export async function failInterruptedImages(tx: Tx, nodeId: string, reason: string): Promise<void> {
  await failOlderImages(tx, nodeId, reason, [], 0)
}

/** Does the same for images that are so many seconds old, except for those that the node still makes. */
export async function failOlderImages(
  tx: Tx,
  nodeId: string,
  reason: string,
  isMade: readonly string[],
  seconds: number,
): Promise<void> {
  let query = tx
    .updateTable('machine_images')
    .set({ status: 'ERROR', reason, made_by_node: null })
    .where('made_by_node', '=', nodeId)
    .where('status', '=', 'CREATING')
    .where('created_at', '<=', sql<Date>`now() - make_interval(secs => ${seconds})`)
  if (isMade.length > 0) query = query.where('id', 'not in', isMade)
  await appendImageEvents(tx, 'image.failed', await query.returning(['id', 'org_id']).execute(), reason)
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
    .returning(['id', 'org_id'])
    .executeTakeFirst()
  if (row) await appendImageEvents(tx, 'image.ready', [row])
  return row !== undefined
}

/** Locks a new image before its disk. Deleting an image locks them in this order too. */
export async function lockImage(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('machine_images').select('id').where('id', '=', id).forUpdate().execute()
}

export async function failImage(tx: Tx, id: string, reason: string): Promise<void> {
  const failed = await tx
    .updateTable('machine_images')
    .set({ status: 'ERROR', reason, made_by_node: null })
    .where('id', '=', id)
    .where('status', '=', 'CREATING')
    .returning(['id', 'org_id'])
    .execute()
  await appendImageEvents(tx, 'image.failed', failed, reason)
}
