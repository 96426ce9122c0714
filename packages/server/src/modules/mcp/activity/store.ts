import { type McpCall, McpClient } from '@sandglass/protocol'
import { sql } from 'kysely'
import type { Database, Tx } from '../../../db/database.ts'

/** Bounds what a server keeps: the lists have no pages, and clients choose their names. */
const maxClients = 100
const maxCalls = 200
/** A client without a session that was not active for this long is forgotten, as sessions are. */
const forgottenAfterDays = 7

export interface ClientRow {
  readonly id: string
  readonly server_id: string
  readonly session_id: string | null
  readonly caller: string
  readonly name: string | null
  readonly version: string | null
  readonly protocol_version: string | null
}

export interface CallRow {
  readonly server_id: string
  readonly client_id: string
  readonly tool: string
  readonly sandbox_id: string | null
  readonly outcome: McpCall['outcome']
  readonly at: string
  readonly duration_ms: number
}

/** Inserts the clients that are not there yet. A server or a session that was deleted meanwhile gets none. */
export async function insertClients(tx: Tx, clients: readonly ClientRow[]): Promise<void> {
  if (clients.length === 0) return
  await sql`INSERT INTO mcp_clients (id, server_id, session_id, caller, name, version, protocol_version)
    SELECT given.* FROM jsonb_to_recordset(${JSON.stringify(clients)}::jsonb) AS given (
      id text, server_id text, session_id text, caller text, name text, version text, protocol_version text
    ) JOIN mcp_servers server ON server.id = given.server_id
    LEFT JOIN mcp_sessions session ON session.id = given.session_id
    WHERE given.session_id IS NULL OR session.id IS NOT NULL
    ON CONFLICT DO NOTHING`.execute(tx)
}

/** A call keeps the name of its client, which may be forgotten before it. */
export async function insertCalls(tx: Tx, calls: readonly CallRow[]): Promise<void> {
  if (calls.length === 0) return
  const given = sql`jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) AS given (
    server_id text, client_id text, tool text, sandbox_id text, outcome text, at timestamptz, duration_ms integer)`
  await sql`INSERT INTO mcp_calls
      (server_id, client_id, client_name, client_version, tool, sandbox_id, outcome, at, duration_ms)
    SELECT given.server_id, client.id, client.name, client.version, given.tool, given.sandbox_id, given.outcome,
      given.at, given.duration_ms
    FROM ${given} JOIN mcp_servers server ON server.id = given.server_id
    LEFT JOIN mcp_clients client ON client.id = given.client_id
    ORDER BY given.at`.execute(tx)
  await sql`UPDATE mcp_clients SET last_call_at = called.at
    FROM (SELECT client_id, max(at) AS at FROM ${given} GROUP BY client_id) AS called
    WHERE mcp_clients.id = called.client_id`.execute(tx)
}

/** Removes what these servers have beyond the limits. */
export async function trimActivity(tx: Tx, serverIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM mcp_calls WHERE id IN (SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY server_id ORDER BY id DESC) AS place
      FROM mcp_calls WHERE server_id = ANY(${serverIds})
    ) AS placed WHERE place > ${maxCalls})`.execute(tx)
  await sql`DELETE FROM mcp_clients WHERE id IN (SELECT id FROM (
      SELECT id, row_number() OVER (
        PARTITION BY server_id ORDER BY coalesce(last_call_at, connected_at) DESC
      ) AS place
      FROM mcp_clients WHERE server_id = ANY(${serverIds})
    ) AS placed WHERE place > ${maxClients})`.execute(tx)
}

export async function forgetOldClients(db: Database): Promise<void> {
  await db
    .deleteFrom('mcp_clients')
    .where('session_id', 'is', null)
    .where(
      sql<Date>`coalesce(last_call_at, connected_at)`,
      '<',
      sql<Date>`now() - make_interval(days => ${forgottenAfterDays})`,
    )
    .execute()
}

export async function selectClients(db: Database, serverId: string): Promise<McpClient[]> {
  const rows = await db
    .selectFrom('mcp_clients')
    .selectAll()
    .where('server_id', '=', serverId)
    .orderBy(sql`coalesce(last_call_at, connected_at)`, 'desc')
    .orderBy('id')
    .limit(maxClients)
    .execute()
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    version: row.version,
    protocolVersion: row.protocol_version,
    connectedAt: row.connected_at.toISOString(),
    lastCallAt: row.last_call_at?.toISOString() ?? null,
    holder: holderOf(row.caller),
  }))
}

function holderOf(caller: string): McpClient['holder'] {
  const at = caller.indexOf(':')
  return McpClient.shape.holder.parse({ kind: caller.slice(0, at), id: caller.slice(at + 1) })
}

export async function selectCalls(db: Database, serverId: string): Promise<McpCall[]> {
  const rows = await db
    .selectFrom('mcp_calls')
    .selectAll()
    .where('server_id', '=', serverId)
    .orderBy('id', 'desc')
    .limit(maxCalls)
    .execute()
  return rows.map(row => ({
    id: row.id,
    at: row.at.toISOString(),
    tool: row.tool,
    sandboxId: row.sandbox_id,
    durationMs: row.duration_ms,
    outcome: row.outcome,
    client:
      row.client_id === null && row.client_name === null
        ? null
        : { id: row.client_id, name: row.client_name, version: row.client_version },
  }))
}
