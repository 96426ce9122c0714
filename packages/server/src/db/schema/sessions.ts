import type { CredentialKind, Role } from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Written } from './columns.ts'

interface HolderColumns {
  holder_kind: Written<CredentialKind>
  holder_id: Written<string>
  /** Null for the operator. */
  org_id: Written<string | null>
  /** Only of a user of the OpenID Connect issuer, who has no row of their own. */
  role: Written<Role | null>
  name: Written<string | null>
}

export interface SessionTable extends HolderColumns {
  id: Written<string>
  hash: Written<Buffer>
  created_at: CreatedAt
  last_used_at: Generated<Date>
  expires_at: Date
  address: Written<string>
  user_agent: Written<string | null>
}

export interface SignInCodeTable extends HolderColumns {
  hash: Written<Buffer>
  /** When the key or token itself expires. */
  holder_expires_at: Written<Date | null>
  expires_at: ColumnType<Date, Date, never>
}
