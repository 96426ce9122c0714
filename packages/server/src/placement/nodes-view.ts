import { sql } from 'kysely'
import type { Database, Prepared } from '../db/database.ts'
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

const candidates = `SELECT id, seen_at, entry AS capacity, (
    SELECT count(*)::int FROM machines
    WHERE node_id = nodes.id AND state = 'ready' AND shape_name = $1 AND image_id IS NULL
  ) AS warm
  FROM nodes CROSS JOIN LATERAL jsonb_array_elements(capacity) AS entry
  WHERE lost_at IS NULL AND draining_since IS NULL AND lease_until > now() AND entry ->> 'shapeName' = $1`

/**
 * Selects the nodes that are alive, not draining, and offer the shape. Full nodes are included, because their refusal
 * gives the caller a reason. Callers wait for it, so the statement is prepared.
 */
export function selectCandidates(prepared: Prepared, shapeName: string): Promise<Candidate[]> {
  return prepared<Candidate>('candidates-for-shape', candidates, shapeName)
}

/** Selects the engines that nodes use, also those of nodes that are away now. */
export async function selectEnginesOfNodes(db: Database): Promise<string[]> {
  const { rows } = await sql<{ engine: string | null }>`SELECT DISTINCT entry ->> 'engine' AS engine
    FROM nodes CROSS JOIN LATERAL jsonb_array_elements(capacity) AS entry`.execute(db)
  return rows.flatMap(({ engine }) => engine ?? [])
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
