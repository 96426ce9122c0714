import type { MachineHandle } from '@sandglass/machines/contract'
import type {
  Control,
  EndReason,
  Lifecycle,
  LiveScope,
  McpPolicy,
  McpTools,
  OperationStatus,
  SandboxHealth,
  SandboxStatus,
} from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { AnyStoredSpec } from '../../auth/environment-seal.ts'
import type { CreatedAt, Written } from './columns.ts'

/** The state of a sandbox before its node was declared lost. */
export interface BeforeLoss {
  readonly status: Exclude<SandboxStatus, 'ERROR'>
  readonly paused: boolean
  /** Left out by earlier versions. */
  readonly hibernated?: boolean
  readonly reason: string | null
}

export interface SandboxTable {
  id: Written<string>
  org_id: Written<string>
  project_id: Written<string>
  name: string
  shape_name: Written<string>
  status: SandboxStatus
  created_at: CreatedAt
  expires_at: Date
  machine_id: string | null
  node_id: string | null
  created_by: Generated<string>
  price_per_hour: Generated<number>
  labels: ColumnType<Record<string, string>, string | undefined, string>
  idle_seconds: number | null
  idle_at: Date | null
  reason: string | null
  paused: Generated<boolean>
  hibernated: Generated<boolean>
  control: Generated<Control>
  live_epoch: Generated<number>
  /** The URLs of its browser are valid only while it is in this epoch. */
  browser_epoch: Generated<number>
  person_called: Generated<boolean>
  /** The name of the person who has control. */
  control_by: ColumnType<string | null, undefined, string | null>
  /** What the agent asked a person for. */
  control_message: ColumnType<string | null, undefined, string | null>
  health: ColumnType<SandboxHealth | null, undefined, string | null>
  /** Set while the sandbox is in ERROR because its node was declared lost. */
  before_loss: ColumnType<BeforeLoss | null, undefined, string | null>
  /** The end that a sandbox.expiring event has announced. */
  announced_end: ColumnType<Date | null, undefined, Date>
  on_timeout: Generated<Lifecycle['onTimeout']>
  on_idle: Generated<Lifecycle['onIdle']>
  auto_resume: Generated<boolean>
  /** How long the sandbox may run after it was woken: what its create or its last extension said. */
  life_seconds: Generated<number>
  /** Its time was up, or it was paused before that. `expires_at` is then the end of the time for which it is kept. */
  kept: Generated<boolean>
}

/** A sandbox that has ended, for as long as it can be listed. */
export interface EndedSandboxTable {
  id: Written<string>
  org_id: Written<string>
  project_id: Written<string>
  name: Written<string>
  shape_name: Written<string>
  status: Written<SandboxStatus>
  reason: Written<string | null>
  labels: ColumnType<Record<string, string>, string, never>
  created_by: Written<string>
  created_at: Written<Date>
  expires_at: Written<Date>
  ended_at: CreatedAt
  end_reason: Written<EndReason>
}

/** starting: being created. ready: in the pool. claimed: used by a sandbox. doomed: to be destroyed. */
export type MachineRowState = 'starting' | 'ready' | 'claimed' | 'doomed'

export interface MachineTable {
  id: Written<string>
  node_id: Written<string>
  engine: Written<string>
  shape_name: Written<string>
  spec: ColumnType<AnyStoredSpec, string, string>
  handle: ColumnType<MachineHandle | null, never, string>
  state: MachineRowState
  /** Assigned by the database when the row is inserted. */
  number: ColumnType<string, never, never>
  /** The saved disk that the machine starts with; null if it starts with that of its image. */
  disk_id: ColumnType<string | null, string | undefined, never>
  /** The organization that the machine works for, if it is no sandbox and not for the pool. */
  org_id: ColumnType<string | null, string | undefined, never>
  /** The image that a machine of the pool was booted for; null for one of its shape. It stays when a sandbox claims the machine. */
  image_id: ColumnType<string | null, string | undefined, never>
  created_at: CreatedAt
}

export interface HttpMappingTable {
  id: Written<string>
  sandbox_id: Written<string>
  target: Written<string>
  wait_seconds: ColumnType<number | null, number | null | undefined, number | null>
  created_at: CreatedAt
}

export interface LiveInvitationTable {
  id: Written<string>
  sandbox_id: Written<string>
  hash: Written<Buffer>
  scope: Written<LiveScope[]>
  created_by: Written<string>
  created_at: CreatedAt
  expires_at: Written<Date>
}

export interface ApplicationOperationTable {
  id: Written<string>
  sandbox_id: Written<string>
  node_id: Written<string>
  app_id: Written<string>
  status: OperationStatus
  detail: ColumnType<unknown, never, string>
  created_at: CreatedAt
}

export interface McpServerTable {
  id: Written<string>
  org_id: Written<string>
  project_id: Written<string>
  name: string
  is_default: Written<boolean>
  current_sandbox_id: string | null
  /** True if the server created its sandbox, rather than being attached to an existing one. */
  sandbox_made: Generated<boolean>
  /** True if a sandbox should be created before the first call. */
  sandbox_wanted: Generated<boolean>
  policy: ColumnType<McpPolicy, string, string>
  tools: ColumnType<Partial<McpTools>, string, string>
  screen_longest_side: number
  created_at: CreatedAt
}

/** A session of a client that uses a protocol revision before 2026-07-28. Later revisions have no sessions. */
export interface McpSessionTable {
  id: Written<string>
  server_id: Written<string>
  caller: Written<string>
  seen_at: Generated<Date>
}
