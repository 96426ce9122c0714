import { sql } from 'kysely'
import type { AnyStoredSpec, StoredSpec } from '../auth/environment-seal.ts'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { attribute, placementActor } from '../events/actor.ts'
import { renewUnfinished } from './renew-unfinished.ts'

/** A node that takes up what lost nodes had on the clusters that it uses too. */
export interface Heir {
  readonly nodeId: string
  readonly clusters: readonly { readonly engine: string; readonly cluster: string }[]
  /** Returns the spec of a new machine that is to be like the one of this spec. */
  readonly renew: (spec: AnyStoredSpec) => StoredSpec
}

/** Returns the engines with whose cluster both the lost node and its heir work. */
export async function commonEngines(tx: Tx, lostNodeId: string, { clusters }: Heir): Promise<string[]> {
  const node = await tx.selectFrom('nodes').select('clusters').where('id', '=', lostNodeId).executeTakeFirst()
  return clusters
    .filter(mine =>
      node?.clusters?.some(theirs => theirs.engine === mine.engine && theirs.cluster === mine.cluster),
    )
    .map(({ engine }) => engine)
}

/** Moves the sandboxes of a lost node to its heir. Their machines run on in the cluster, so their status does not change. */
export async function moveSandboxes(
  tx: Tx,
  lostNodeId: string,
  { nodeId }: Heir,
  engines: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`UPDATE sandboxes SET node_id = ${nodeId} FROM (
      SELECT sandbox.id FROM sandboxes AS sandbox JOIN machines AS machine ON machine.id = sandbox.machine_id
      WHERE sandbox.node_id = ${lostNodeId} AND machine.engine = ANY(${engines}::text[])
      ORDER BY sandbox.id FOR UPDATE OF sandbox
    ) AS moved WHERE sandboxes.id = moved.id`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Moves the machines, saved disks and volumes of a lost node to its heir. Call it after {@link moveSandboxes}. */
export async function moveMachines(
  tx: Tx,
  lostNodeId: string,
  { nodeId, renew }: Heir,
  engines: readonly string[],
): Promise<void> {
  // Other nodes could not continue builds from these disks, whose steps belong to the lost node.
  await sql`DELETE FROM build_steps USING saved_disks AS disk WHERE disk.id = build_steps.disk_id
    AND disk.node_id = ${lostNodeId} AND disk.engine = ANY(${engines}::text[])`.execute(tx)
  const moved = await moveRows(tx, 'machines', lostNodeId, nodeId, engines)
  for (const table of ['saved_disks', 'volumes'] as const)
    await moveRows(tx, table, lostNodeId, nodeId, engines)
  await renewUnfinished(tx, nodeId, moved, renew)
}

/** Returns the ids of what was moved. The heir must know the numbers, or it would take a machine for one that is newer than the database. */
async function moveRows(
  tx: Tx,
  table: 'machines' | 'saved_disks' | 'volumes',
  lostNodeId: string,
  nodeId: string,
  engines: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ readonly id: string }>`WITH moved AS (
      UPDATE ${sql.table(table)} SET node_id = ${nodeId}
      WHERE node_id = ${lostNodeId} AND engine = ANY(${engines}::text[]) RETURNING id, number
    ), counted AS (
      UPDATE nodes SET last_machine_number = greatest(last_machine_number, (SELECT max(number) FROM moved))
      WHERE id = ${nodeId}
    ) SELECT id FROM moved`.execute(tx)
  return rows.map(({ id }) => id)
}

/**
 * Takes up what nodes had that were declared lost by a process which does not use their cluster. Their sandboxes are in ERROR until the
 * caller recovers them. Returns whether there was anything.
 */
export async function inheritLost(db: Database, heir: Heir): Promise<boolean> {
  if (heir.clusters.length === 0) return false
  const lost = await db
    .selectFrom('machines')
    .innerJoin('nodes', 'nodes.id', 'machines.node_id')
    .select('nodes.id')
    .distinct()
    .where('nodes.lost_at', 'is not', null)
    .where('nodes.id', '!=', heir.nodeId)
    .where(
      'machines.engine',
      'in',
      heir.clusters.map(({ engine }) => engine),
    )
    .execute()
  let isAny = false
  for (const { id } of lost) if (await transact(db, tx => inherit(tx, id, heir))) isAny = true
  return isAny
}

async function inherit(tx: Tx, lostNodeId: string, heir: Heir): Promise<boolean> {
  const locked = await tx
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', lostNodeId)
    .where('lost_at', 'is not', null)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  const engines = locked ? await commonEngines(tx, lostNodeId, heir) : []
  if (engines.length === 0) return false
  attribute(tx, placementActor)
  await moveSandboxes(tx, lostNodeId, heir, engines)
  await moveMachines(tx, lostNodeId, heir, engines)
  return true
}
