import { hostname } from 'node:os'
import type { ClusterMember, ServiceNode } from '@sandglass/protocol'
import { type Selectable, sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { NodeTable, PublishedCluster } from '../db/schema.ts'
import { placementActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'

export type NodeRow = Selectable<NodeTable>

/** This process, as one of the nodes that share the database. */
export interface ThisNode {
  readonly id: string
  readonly version: string
  /** The URL that other processes use to reach this one. */
  readonly url: string
  /** How long the node may be silent before another process declares it lost. */
  readonly leaseSeconds: number
}

/**
 * Registers this process as a node and takes its lease. Returns false if its data directory was registered before. A
 * node that was declared lost becomes a normal node again.
 */
export async function enterNode(tx: Tx, { id, version, url, leaseSeconds }: ThisNode): Promise<boolean> {
  const fresh = {
    hostname: hostname(),
    version,
    url,
    started_at: sql<Date>`now()`,
    seen_at: sql<Date>`now()`,
  }
  const known = await tx.selectFrom('nodes').select('id').where('id', '=', id).executeTakeFirst()
  if (!known)
    await tx
      .insertInto('nodes')
      .values({ id, ...fresh })
      .execute()
  await tx
    .updateTable('nodes')
    .set({
      ...fresh,
      lease_until: leaseEnd(leaseSeconds),
      leased_since: sql<Date>`now()`,
      lost_at: null,
      capacity: null,
      image_builds: null,
    })
    .where('id', '=', id)
    .execute()
  await appendEvent(tx, {
    orgId: null,
    type: 'node.started',
    subject: id,
    data: { hostname: fresh.hostname, version },
    actor: placementActor,
  })
  return known === undefined
}

/** Returns the end of a lease that is taken now, by the clock of the database. */
export function leaseEnd(leaseSeconds: number) {
  return sql<Date>`now() + make_interval(secs => ${leaseSeconds})`
}

/** Returns the nodes as operators see them: all of them, or only the one with this id. */
export async function selectNodes(db: Database | Tx, id?: string): Promise<ServiceNode[]> {
  let query = db
    .selectFrom('nodes')
    .selectAll('nodes')
    .select(({ selectFrom }) => [
      selectFrom('sandboxes')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .whereRef('sandboxes.node_id', '=', 'nodes.id')
        .as('sandboxes'),
      sql<Record<string, number> | null>`(SELECT jsonb_object_agg(shape_name, count) FROM (
        SELECT shape_name, count(*) FROM machines
        WHERE node_id = nodes.id AND state = 'ready' AND image_id IS NULL GROUP BY shape_name
      ) AS pooled)`.as('warm'),
    ])
  if (id !== undefined) query = query.where('nodes.id', '=', id)
  const rows = await query.orderBy('started_at').orderBy('id').execute()
  return rows.map(row => ({
    id: row.id,
    hostname: row.hostname,
    version: row.version,
    startedAt: row.started_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
    state: stateOf(row),
    leaseUntil: row.lease_until.toISOString(),
    ...(row.lost_at && { lostAt: row.lost_at.toISOString() }),
    ...(row.draining_since && { drainingSince: row.draining_since.toISOString() }),
    sandboxes: Number(row.sandboxes),
    capacity: (row.capacity ?? []).map(({ shapeName, engine, free, shortage }) => ({
      shapeName,
      engine,
      free,
      warm: row.warm?.[shapeName] ?? 0,
      ...(shortage && { reason: shortage.message }),
    })),
    ...(row.clusters?.some(({ members }) => members.length > 0) && { members: membersOf(row.clusters) }),
    ...(row.resources && { resources: row.resources }),
  }))
}

function membersOf(clusters: readonly PublishedCluster[]): ClusterMember[] {
  return clusters.flatMap(({ engine, members }) => members.map(member => ({ engine, ...member })))
}

function stateOf({ lost_at, draining_since }: NodeRow): ServiceNode['state'] {
  if (lost_at) return 'lost'
  return draining_since ? 'draining' : 'alive'
}

/** Returns false if there is no such node. A node that is already draining keeps its original time. */
export async function setDraining(tx: Tx, id: string, isDraining: boolean): Promise<boolean> {
  const since = isDraining ? sql<Date>`coalesce(nodes.draining_since, now())` : null
  const row = await tx
    .updateTable('nodes')
    .from(({ selectFrom }) =>
      selectFrom('nodes').select(['id', 'draining_since']).where('id', '=', id).forUpdate().as('before'),
    )
    .set({ draining_since: since })
    .whereRef('nodes.id', '=', 'before.id')
    .returning('before.draining_since')
    .executeTakeFirst()
  if (row && (row.draining_since !== null) !== isDraining)
    await appendEvent(tx, {
      orgId: null,
      type: isDraining ? 'node.drained' : 'node.undrained',
      subject: id,
      data: {},
    })
  return row !== undefined
}
