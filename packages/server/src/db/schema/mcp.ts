import type { McpCall } from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

/** A client of an MCP server. It is written by statements of its own, which insert several at once. */
export interface McpClientTable {
  id: ColumnType<string, never, never>
  server_id: ColumnType<string, never, never>
  /** Null for a client that uses a protocol revision without sessions. */
  session_id: ColumnType<string | null, never, never>
  caller: ColumnType<string, never, never>
  name: ColumnType<string | null, never, never>
  version: ColumnType<string | null, never, never>
  protocol_version: ColumnType<string | null, never, never>
  connected_at: CreatedAt
  last_call_at: ColumnType<Date | null, never, never>
}

/** A call of a tool of an MCP server. */
export interface McpCallTable {
  id: Generated<string>
  server_id: ColumnType<string, never, never>
  client_id: ColumnType<string | null, never, never>
  client_name: ColumnType<string | null, never, never>
  client_version: ColumnType<string | null, never, never>
  tool: ColumnType<string, never, never>
  sandbox_id: ColumnType<string | null, never, never>
  outcome: ColumnType<McpCall['outcome'], never, never>
  at: ColumnType<Date, never, never>
  duration_ms: ColumnType<number, never, never>
}
