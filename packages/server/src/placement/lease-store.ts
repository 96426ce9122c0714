import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { placementActor } from '../events/actor.ts'
import { appendEvent } from '../events/append.ts'
import { leaseEnd } from '../records/nodes.ts'
import type { Published } from './capacity.ts'

export interface RenewedLease {
  readonly isDraining: boolean
}

/** Renews the lease of a node and publishes what it has. Returns undefined if the node was declared lost or removed. */
export async function renewLease(
  db: Database,
  nodeId: string,
  leaseSeconds: number,
  { capacity, resources, builds, clusters }: Published,
): Promise<RenewedLease | undefined> {
  const row = await db
    .updateTable('nodes')
    .set({
      seen_at: sql<Date>`now()`,
      lease_until: leaseEnd(leaseSeconds),
      // An expired lease starts anew even if nobody declared the node lost, because it was not held without a gap.
      leased_since: sql<Date>`CASE WHEN lease_until < now() THEN now() ELSE leased_since END`,
      capacity: capacity && JSON.stringify(capacity),
      resources: resources && JSON.stringify(resources),
      image_builds: JSON.stringify(builds),
      clusters: JSON.stringify(clusters),
    })
    .where('id', '=', nodeId)
    .where('lost_at', 'is', null)
    .returning('draining_since')
    .executeTakeFirst()
  return row && { isDraining: row.draining_since !== null }
}

/** Takes the lease again after the node was declared lost. Returns false if the node was removed. */
export async function retakeLease(db: Database, nodeId: string, leaseSeconds: number): Promise<boolean> {
  return transact(db, async tx => {
    const row = await tx
      .updateTable('nodes')
      .set({
        seen_at: sql<Date>`now()`,
        lease_until: leaseEnd(leaseSeconds),
        leased_since: sql<Date>`now()`,
        lost_at: null,
      })
      .where('id', '=', nodeId)
      .returning('id')
      .executeTakeFirst()
    if (!row) return false
    await appendEvent(tx, {
      orgId: null,
      type: 'node.returned',
      subject: nodeId,
      data: {},
      actor: placementActor,
    })
    return true
  })
}

/** Stops other processes from placing sandboxes on the node, because they choose only nodes that publish capacity. */
export async function withdrawCapacity(db: Database, nodeId: string): Promise<void> {
  await db.updateTable('nodes').set({ capacity: null, image_builds: null }).where('id', '=', nodeId).execute()
}
