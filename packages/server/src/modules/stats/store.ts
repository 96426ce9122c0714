import type { Stats } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'

export async function countThings(db: Database, orgId: string): Promise<Stats> {
  const count = (table: 'mcp_servers' | 'sandboxes' | 'projects') =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('org_id', '=', orgId)
  const row = await db
    .selectNoFrom([
      count('mcp_servers').as('mcpServers'),
      count('sandboxes').as('sandboxes'),
      count('projects').as('projects'),
    ])
    .executeTakeFirstOrThrow()
  return {
    mcpServers: Number(row.mcpServers),
    sandboxes: Number(row.sandboxes),
    projects: Number(row.projects),
  }
}
