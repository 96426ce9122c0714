import type { Stats } from '@sandglass/protocol'
import type { Prepared } from '../../db/database.ts'

const countsQuery = `SELECT
  (SELECT count(*)::int FROM mcp_servers WHERE org_id = $1) AS "mcpServers",
  (SELECT count(*)::int FROM sandboxes WHERE org_id = $1) AS sandboxes,
  (SELECT count(*)::int FROM projects WHERE org_id = $1) AS projects`

export async function countResources(prepared: Prepared, orgId: string): Promise<Stats> {
  const [counts] = await prepared<Stats>('count-things', countsQuery, orgId)
  if (!counts) throw new Error('a count gave no row')
  return counts
}
