import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { PublishedCapacity } from '../db/schema.ts'

/** A node that offers a shape, as it last described itself in the database. */
export interface Candidate {
  readonly id: string
  /** When it published its capacity. */
  readonly seen_at: Date
  readonly capacity: PublishedCapacity
  /** How many machines of the shape its warm pool has. */
  readonly warm: number
}

/**
 * Selects the nodes that are alive, not draining, and offer the shape. Full nodes are included, because their refusal
 * gives the caller a reason.
 */
export async function selectCandidates(db: Database, shapeName: string): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'seen_at', 'capacity'])
    .select(({ selectFrom }) =>
      selectFrom('machines')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .whereRef('machines.node_id', '=', 'nodes.id')
        .where('state', '=', 'ready')
        .where('shape_name', '=', shapeName)
        .as('warm'),
    )
    .where('lost_at', 'is', null)
    .where('draining_since', 'is', null)
    .where('lease_until', '>', sql<Date>`now()`)
    .where('capacity', 'is not', null)
    .execute()
  return rows.flatMap(({ capacity, warm, ...row }) => {
    const published = capacity?.find(entry => entry.shapeName === shapeName)
    return published ? [{ ...row, capacity: published, warm: Number(warm) }] : []
  })
}

/** Whether any other node creates machines. */
export async function hasOtherNodes(db: Database, nodeId: string): Promise<boolean> {
  const row = await db
    .selectFrom('nodes')
    .select('id')
    .where('id', '!=', nodeId)
    .where('lost_at', 'is', null)
    .where('capacity', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
