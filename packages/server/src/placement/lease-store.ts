import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { PublishedCapacity } from '../db/schema.ts'
import { leaseEnd } from '../records/nodes.ts'

export interface Renewed {
  readonly isDraining: boolean
}

/** Renews the lease of a node and publishes its capacity. Undefined where the node was declared lost or was removed. */
export async function renewLease(
  db: Database,
  nodeId: string,
  leaseSeconds: number,
  capacity: readonly PublishedCapacity[] | null,
): Promise<Renewed | undefined> {
  const row = await db
    .updateTable('nodes')
    .set({
      seen_at: sql<Date>`now()`,
      lease_until: leaseEnd(leaseSeconds),
      // A lease that ran out, though nobody declared the node lost, begins anew.
      leased_since: sql<Date>`CASE WHEN lease_until < now() THEN now() ELSE leased_since END`,
      capacity: capacity && JSON.stringify(capacity),
    })
    .where('id', '=', nodeId)
    .where('lost_at', 'is', null)
    .returning('draining_since')
    .executeTakeFirst()
  return row && { isDraining: row.draining_since !== null }
}

/** Takes the lease of a node that was declared lost. False where the node was removed. */
export async function retakeLease(db: Database, nodeId: string, leaseSeconds: number): Promise<boolean> {
  const row = await db
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
  return row !== undefined
}

/** No sandboxes are placed on a node that publishes no capacity. */
export async function withdrawCapacity(db: Database, nodeId: string): Promise<void> {
  await db.updateTable('nodes').set({ capacity: null }).where('id', '=', nodeId).execute()
}
