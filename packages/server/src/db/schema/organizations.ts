import type { Role } from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Written } from './columns.ts'

export interface PlanTable {
  name: Written<string>
  tier: number
  concurrent_sandboxes: number | null
  machine_images: number | null
  snapshots: number | null
  volumes: number | null
  volumes_mib: number | null
  webhooks: number | null
}

export interface OrganizationTable {
  id: Written<string>
  name: string
  plan: string
  feature_flags: string[]
  created_at: CreatedAt
}

export interface ProjectTable {
  id: Written<string>
  org_id: Written<string>
  name: string
  is_default: Written<boolean>
  created_at: CreatedAt
}

export interface ApiKeyTable {
  id: Written<string>
  org_id: Written<string>
  name: string
  prefix: string
  hash: Buffer
  role: Role
  created_at: CreatedAt
  expires_at: Date | null
  last_used_at: ColumnType<Date | null, never, Date>
  revoked_at: ColumnType<Date | null, never, Date>
}

export interface OperatorKeyTable {
  id: Written<string>
  prefix: string
  hash: Buffer
  created_at: CreatedAt
  revoked_at: ColumnType<Date | null, never, Date>
}

/** The secret that a key had before, which works until it ends. It belongs to one key, of either kind. */
export interface ReplacedSecretTable {
  hash: Written<Buffer>
  api_key_id: ColumnType<string | null, string | undefined, never>
  operator_key_id: ColumnType<string | null, string | undefined, never>
  ends_at: Date
}

export interface TrialTokenTable {
  id: Written<string>
  org_id: Written<string>
  name: Written<string>
  prefix: Written<string>
  hash: Written<Buffer>
  created_at: CreatedAt
  expires_at: Date
  revoked_at: ColumnType<Date | null, never, Date>
  sandbox_quota: Written<number>
  shape_names: Written<string[]>
}

export interface UsageSpanTable {
  id: Generated<string>
  org_id: Written<string>
  project_id: Written<string>
  sandbox_id: Written<string>
  shape_name: Written<string>
  price_per_hour: Written<number>
  started_at: CreatedAt
  ended_at: ColumnType<Date | null, never, Date>
}
