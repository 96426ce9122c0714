import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Written } from './columns.ts'

export interface IdempotencyTable {
  caller: Written<string>
  key: Written<string>
  request_hash: Written<Buffer>
  answer: ColumnType<unknown, never, string | null>
  created_at: CreatedAt
}

export interface AuditTable {
  id: Generated<string>
  org_id: Written<string | null>
  at: CreatedAt
  actor_kind: Written<string>
  actor_id: Written<string>
  operation: Written<string>
  target: Written<string | null>
  outcome: Written<string>
  address: Written<string | null>
  request_id: Written<string>
}

/** A link of the hash chain over the audit log. The database adds it with each entry, and nobody else may. */
export interface AuditChainTable {
  /** The id of the organization, or an empty text for the operator. */
  chain: ColumnType<string, never, never>
  number: ColumnType<string, never, never>
  entry_id: ColumnType<string, never, never>
  hash: ColumnType<Buffer, never, never>
}
