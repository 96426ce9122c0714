import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Placement } from './placement.ts'

/** The caller waits while nodes are tried, so only this many are. */
const maxNodes = 3

/** Returns other nodes that are alive, not draining, and create machines, in any order. */
export async function otherNodes(db: Database, { nodeId }: Pick<Placement, 'nodeId'>): Promise<string[]> {
  const rows = await db
    .selectFrom('nodes')
    .select('id')
    .where('id', '!=', nodeId)
    .where('lost_at', 'is', null)
    .where('draining_since', 'is', null)
    .where('capacity', 'is not', null)
    .where(sql<boolean>`lease_until > now()`)
    .orderBy(sql`random()`)
    .limit(maxNodes)
    .execute()
  return rows.map(({ id }) => id)
}
