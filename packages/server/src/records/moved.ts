import type { Database } from '../db/database.ts'

/** Returns those of these machines or saved disks that belong to another node now, because it has taken them over. */
export async function idsElsewhere(
  db: Database,
  table: 'machines' | 'saved_disks',
  nodeId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('id', 'in', ids)
    .where('node_id', '!=', nodeId)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
