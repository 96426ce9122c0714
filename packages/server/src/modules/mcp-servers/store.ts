import { randomUUID } from 'node:crypto'
import { type McpPolicy, type McpServer, McpTools } from '@sandglass/protocol'
import type { Selectable } from 'kysely'
import type { Database, Prepared, Tx } from '../../db/database.ts'
import type { McpServerTable } from '../../db/schema.ts'
import { appendEvent } from '../../events/append.ts'

export type McpServerRow = Selectable<McpServerTable>

/** The fields of a server that users can set. */
export interface McpServerFields {
  readonly name: string
  readonly policy: McpPolicy
  readonly tools: Partial<McpTools>
  readonly screenLongestSide: number
}

export interface NewMcpServer extends McpServerFields {
  readonly orgId: string
  readonly projectId: string
  readonly isDefault: boolean
}

/** Returns undefined if the organization has a default server already and this would be another. */
export async function insertServer(tx: Tx, server: NewMcpServer): Promise<McpServerRow | undefined> {
  const row = await tx
    .insertInto('mcp_servers')
    .values({
      id: randomUUID(),
      org_id: server.orgId,
      project_id: server.projectId,
      is_default: server.isDefault,
      sandbox_wanted: server.policy.sandboxAutoCreation,
      ...columnsOf(server),
    })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row)
    await appendEvent(tx, {
      orgId: row.org_id,
      type: 'mcp-server.created',
      subject: row.id,
      data: { name: row.name, projectId: row.project_id },
    })
  return row
}

export async function updateServerRow(
  tx: Tx,
  id: string,
  fields: McpServerFields & { readonly sandboxWanted: boolean },
): Promise<McpServerRow> {
  return tx
    .updateTable('mcp_servers')
    .set({ ...columnsOf(fields), sandbox_wanted: fields.sandboxWanted })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function selectServers(db: Database, orgId: string): Promise<McpServerRow[]> {
  return db
    .selectFrom('mcp_servers')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function selectDefaultServer(
  db: Database | Tx,
  orgId: string,
): Promise<McpServerRow | undefined> {
  return db
    .selectFrom('mcp_servers')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('is_default', '=', true)
    .executeTakeFirst()
}

/** A server with the shape of its sandbox, or of the sandbox that it would create. */
export interface McpServerInUse extends McpServerRow {
  readonly shape_name: string
}

/** Names every column, because a prepared statement with `*` fails after a migration adds a column. */
const oneServer = `SELECT server.id, server.org_id, server.project_id, server.name, is_default, current_sandbox_id,
    sandbox_made, sandbox_wanted, policy, tools, screen_longest_side, server.created_at,
    coalesce(sandbox.shape_name, policy->>'sandboxShape') AS shape_name
  FROM mcp_servers AS server LEFT JOIN sandboxes AS sandbox ON sandbox.id = current_sandbox_id
  WHERE server.id = $1`

/** Runs before every request of an MCP client, so the statement is prepared. */
export async function selectServer(prepared: Prepared, id: string): Promise<McpServerInUse | undefined> {
  const [row] = await prepared<McpServerInUse>('one-mcp-server', oneServer, id)
  return row
}

/**
 * Locks a server until the transaction ends. To avoid deadlocks, lock its sandbox first, as deleting the sandbox does.
 */
export async function lockServer(tx: Tx, orgId: string, id: string): Promise<McpServerRow | undefined> {
  return tx
    .selectFrom('mcp_servers')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Selects the servers that want a sandbox before the first call. */
export async function selectServersWantingSandbox(db: Database): Promise<McpServerRow[]> {
  return db.selectFrom('mcp_servers').selectAll().where('sandbox_wanted', '=', true).execute()
}

export interface SandboxOfServer {
  readonly sandboxId: string | null
  readonly made: boolean
  readonly wanted: boolean
}

export async function setSandbox(
  tx: Tx,
  id: string,
  { sandboxId, made, wanted }: SandboxOfServer,
): Promise<void> {
  const row = await tx
    .updateTable('mcp_servers')
    .set({ current_sandbox_id: sandboxId, sandbox_made: made, sandbox_wanted: wanted })
    .where('id', '=', id)
    .returning('org_id')
    .executeTakeFirst()
  if (!row) return
  await appendEvent(tx, {
    orgId: row.org_id,
    type: 'mcp-server.sandbox.updated',
    subject: id,
    data: { sandboxId },
  })
}

export async function countServers(db: Database | Tx, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('mcp_servers')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteServerRow(tx: Tx, { id, org_id: orgId }: McpServerRow): Promise<void> {
  await tx.deleteFrom('mcp_servers').where('id', '=', id).execute()
  await appendEvent(tx, { orgId, type: 'mcp-server.deleted', subject: id, data: {} })
}

export function serverOf(row: McpServerRow): McpServer {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at.toISOString(),
    defaultMcpServer: row.is_default,
    projectId: row.project_id,
    currentSandboxId: row.current_sandbox_id,
    policy: row.policy,
    tools: McpTools.parse(row.tools),
    screenLongestSide: row.screen_longest_side,
  }
}

function columnsOf({ name, policy, tools, screenLongestSide }: McpServerFields) {
  return {
    name,
    policy: JSON.stringify(policy),
    tools: JSON.stringify(tools),
    screen_longest_side: screenLongestSide,
  }
}
