import { sql } from 'kysely'
import type { Database, Tx } from '../../../db/database.ts'

/** How much an organization keeps on a node. What was not used for the longest time is removed first. */
export interface CacheLimits {
  readonly maxSteps: number
  readonly maxMiB: number
}

/** Whose steps they are, and where their disks are. Organizations never share a step. */
export interface CacheKey {
  readonly orgId: string
  readonly nodeId: string
}

/** Returns the node that builds an image, or has built it lately. */
export async function selectBuildNode(db: Database, imageId: string): Promise<string | undefined> {
  const build = await db
    .selectFrom('image_builds')
    .select('node_id')
    .where('image_id', '=', imageId)
    .executeTakeFirst()
  return build?.node_id
}

/** Returns the saved disks of those steps that are kept, by key. */
export async function selectSteps(
  db: Database,
  { orgId, nodeId }: CacheKey,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const rows = await db
    .selectFrom('build_steps as step')
    .innerJoin('saved_disks as disk', 'disk.id', 'step.disk_id')
    .select(['step.key', 'step.disk_id'])
    .where('step.org_id', '=', orgId)
    .where('step.node_id', '=', nodeId)
    .where('step.key', 'in', keys)
    .where('disk.state', '=', 'ready')
    .execute()
  return new Map(rows.map(({ key, disk_id }) => [key, disk_id]))
}

/** Records that steps were used, so that they are kept for longer. */
export async function touchSteps(
  tx: Tx,
  { orgId, nodeId }: CacheKey,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  await tx
    .updateTable('build_steps')
    .set({ used_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('node_id', '=', nodeId)
    .where('key', 'in', keys)
    .execute()
}

/** Keeps the saved disk of a step. If a concurrent build kept one for the same step, that is replaced. */
export async function keepStep(
  tx: Tx,
  { orgId, nodeId }: CacheKey,
  key: string,
  diskId: string,
): Promise<void> {
  await tx
    .insertInto('build_steps')
    .values({ org_id: orgId, node_id: nodeId, key, disk_id: diskId })
    .onConflict(conflict =>
      conflict
        .columns(['org_id', 'node_id', 'key'])
        .doUpdateSet({ disk_id: diskId, used_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Removes the steps beyond the limits. The database dooms their disks, unless an image has one of them. */
export async function trimSteps(
  tx: Tx,
  { orgId, nodeId }: CacheKey,
  { maxSteps, maxMiB }: CacheLimits,
): Promise<void> {
  await sql`
    DELETE FROM build_steps WHERE org_id = ${orgId} AND node_id = ${nodeId} AND key IN (
      SELECT key FROM (
        SELECT step.key, row_number() OVER latest AS place, sum(coalesce(disk.size_mib, 0)) OVER latest AS mib
        FROM build_steps step JOIN saved_disks disk ON disk.id = step.disk_id
        WHERE step.org_id = ${orgId} AND step.node_id = ${nodeId}
        WINDOW latest AS (ORDER BY step.used_at DESC, step.key)
      ) AS kept WHERE place > ${maxSteps} OR (place > 1 AND mib > ${maxMiB})
    )`.execute(tx)
}

/** Removes the steps of a node that were not used for so many days, of all organizations; all of them if the node is drained. */
export async function removeUnusedSteps(db: Database, nodeId: string, days: number): Promise<void> {
  const draining = db
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', nodeId)
    .where('draining_since', 'is not', null)
  await db
    .deleteFrom('build_steps')
    .where('node_id', '=', nodeId)
    .where(({ or, eb, exists }) =>
      or([eb('used_at', '<=', sql<Date>`now() - make_interval(days => ${days})`), exists(draining)]),
    )
    .execute()
}
