import type { MachineHandle, SnapshotHandle, VolumeHandle } from '@sandglass/machines/contract'
import type {
  Connect,
  Control,
  EndReason,
  Image,
  Lifecycle,
  LiveScope,
  McpPolicy,
  McpTools,
  OperationStatus,
  Role,
  SandboxHealth,
  SandboxStatus,
  SavedStatus,
} from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { AnyStoredSpec, StoredSpec } from '../auth/environment-seal.ts'

type CreatedAt = ColumnType<Date, never, never>
type Written<T> = ColumnType<T, T, never>

export interface PlanTable {
  name: Written<string>
  tier: number
  concurrent_sandboxes: number | null
  machine_images: number | null
  snapshots: number | null
  volumes: number | null
  volumes_mib: number | null
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
  name: Written<string>
  prefix: Written<string>
  hash: Written<Buffer>
  role: Written<Role>
  created_at: CreatedAt
  expires_at: Date | null
  last_used_at: ColumnType<Date | null, never, Date>
  revoked_at: ColumnType<Date | null, never, Date>
}

export interface OperatorKeyTable {
  id: Written<string>
  prefix: Written<string>
  hash: Written<Buffer>
  created_at: CreatedAt
  revoked_at: ColumnType<Date | null, never, Date>
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

export interface NodeTable {
  id: Written<string>
  hostname: string
  version: string
  started_at: Date
  seen_at: Date
  url: string | null
  live: ColumnType<Pick<Connect, 'gatewayAddresses' | 'certificateHashBase64'> | null, never, string>
  last_machine_number: ColumnType<string, never, never>
  /** A time of the database clock, like all times of leases. */
  lease_until: ColumnType<Date, never, Date>
  /** The time since which every renewal of the lease came before it ran out. */
  leased_since: ColumnType<Date, never, Date>
  /** The time at which another process declared the node lost, or null if the node is not lost. */
  lost_at: ColumnType<Date | null, never, Date | null>
  draining_since: ColumnType<Date | null, never, Date | null>
  /** Null for a process that makes no machines, or is stopping. */
  capacity: ColumnType<PublishedCapacity[] | null, never, string | null>
}

/** The capacity for one shape, which a node publishes with each heartbeat. */
export interface PublishedCapacity {
  readonly shapeName: string
  readonly engine: string
  readonly free: number
  /** The reason why no machine of this shape fits. */
  readonly shortage?: Shortage
}

export interface Shortage {
  readonly code: 'machine.NO_CAPACITY' | 'machine.NOT_READY'
  readonly message: string
}

/** The state of a sandbox before its node was declared lost. */
export interface BeforeLoss {
  readonly status: Exclude<SandboxStatus, 'ERROR'>
  readonly paused: boolean
  /** Left out by earlier versions. */
  readonly hibernated?: boolean
  readonly reason: string | null
}

/** A table with one row: the id that distinguishes this database from any other. */
export interface InstallationTable {
  id: ColumnType<string, never, never>
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
  labels: ColumnType<Record<string, string>, string | undefined, never>
  idle_seconds: number | null
  idle_at: Date | null
  reason: string | null
  paused: Generated<boolean>
  hibernated: Generated<boolean>
  control: Generated<Control>
  live_epoch: Generated<number>
  person_called: Generated<boolean>
  health: ColumnType<SandboxHealth | null, undefined, string | null>
  /** Set while the sandbox is in ERROR because its node was declared lost. */
  before_loss: ColumnType<BeforeLoss | null, undefined, string | null>
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
  created_at: CreatedAt
}

/**
 * taking: being saved. ready: machines can be created from it. doomed: to be removed, as soon as no machine that is being
 * created needs it.
 */
export type DiskState = 'taking' | 'ready' | 'doomed'

export interface SavedDiskTable {
  /** Also the id of the engine's snapshot. */
  id: Written<string>
  node_id: Written<string>
  engine: Written<string>
  shape_name: Written<string>
  /** The spec of the machine that was saved, without its environment, so that the disk of one user holds no secrets of another. */
  spec: ColumnType<StoredSpec, string, never>
  handle: ColumnType<SnapshotHandle | null, never, string>
  state: DiskState
  size_mib: ColumnType<number | null, never, number>
  /** Assigned by the database when the row is inserted. */
  number: ColumnType<string, never, never>
  created_at: CreatedAt
}

export interface MachineImageTable {
  id: Written<string>
  org_id: Written<string>
  name: Written<string>
  description: Written<string | null>
  shape_name: Written<string>
  scope: ColumnType<Image['scope'], never, Image['scope']>
  status: ColumnType<SavedStatus, never, SavedStatus>
  reason: ColumnType<string | null, never, string | null>
  /** Null while an image is built or imported, and if the disk is gone. */
  disk_id: ColumnType<string | null, string | undefined, string>
  /** The node that is building or importing the image; null once that is over. */
  made_by_node: ColumnType<string | null, string | undefined, null>
  /** The environment of sandboxes that are created from it, encrypted; null if it has none. */
  sealed_env: ColumnType<string | null, never, string | null>
  created_by: Written<string>
  created_at: CreatedAt
}

/** The saved disk after a step of an image build, which later builds of the organization on the same node continue from. */
export interface BuildStepTable {
  org_id: Written<string>
  node_id: Written<string>
  /** A hash of what the build started from and of all steps so far. */
  key: Written<string>
  disk_id: ColumnType<string, string, string>
  used_at: Generated<Date>
}

export interface SandboxSnapshotTable {
  id: Written<string>
  org_id: Written<string>
  sandbox_id: Written<string>
  name: Written<string>
  status: ColumnType<SavedStatus, never, SavedStatus>
  reason: ColumnType<string | null, never, string | null>
  disk_id: ColumnType<string | null, string, never>
  created_at: CreatedAt
}

/**
 * creating: the engine is creating it. ready: sandboxes can have it. missing: the engine or the node does not have it any more.
 * doomed: to be deleted, as soon as no machine has it.
 */
export type VolumeState = 'creating' | 'ready' | 'missing' | 'doomed'

export interface VolumeTable {
  /** Also the id of the engine's volume. */
  id: Written<string>
  /** Null after the organization was deleted. The volume is doomed then. */
  org_id: Written<string | null>
  name: Written<string>
  size_mib: Written<number>
  used_mib: ColumnType<number | null, never, number>
  /** Null after the node was removed. */
  node_id: ColumnType<string | null, string, null>
  engine: Written<string>
  handle: ColumnType<VolumeHandle | null, never, string>
  state: VolumeState
  reason: ColumnType<string | null, never, string | null>
  created_by: Written<string>
  /** Assigned by the database when the row is inserted. */
  number: ColumnType<string, never, never>
  created_at: CreatedAt
}

/** A machine that has a volume, from the create of its sandbox until the machine is destroyed. */
export interface VolumeMountTable {
  volume_id: Written<string>
  machine_id: Written<string>
  path: Written<string>
  read_only: Written<boolean>
}

export interface HttpMappingTable {
  id: Written<string>
  sandbox_id: Written<string>
  target: Written<string>
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

export interface ServiceKeyTable {
  name: Written<string>
  /** The key of an earlier version, until the first start after the upgrade has moved it to a file. */
  secret: Buffer | null
  /** Identifies the secret key that the processes of this database use. */
  key_id: string | null
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

export interface ApplicationOperationTable {
  id: Written<string>
  sandbox_id: Written<string>
  node_id: Written<string>
  app_id: Written<string>
  status: OperationStatus
  detail: ColumnType<unknown, never, string>
  created_at: CreatedAt
}

/** The tables of the database for Kysely. The files in migrations/ create them. */
export interface Schema {
  plans: PlanTable
  organizations: OrganizationTable
  projects: ProjectTable
  api_keys: ApiKeyTable
  operator_keys: OperatorKeyTable
  trial_tokens: TrialTokenTable
  nodes: NodeTable
  installation: InstallationTable
  sandboxes: SandboxTable
  ended_sandboxes: EndedSandboxTable
  machines: MachineTable
  saved_disks: SavedDiskTable
  machine_images: MachineImageTable
  build_steps: BuildStepTable
  sandbox_snapshots: SandboxSnapshotTable
  volumes: VolumeTable
  volume_mounts: VolumeMountTable
  http_mappings: HttpMappingTable
  live_invitations: LiveInvitationTable
  usage_spans: UsageSpanTable
  service_keys: ServiceKeyTable
  mcp_servers: McpServerTable
  mcp_sessions: McpSessionTable
  idempotency: IdempotencyTable
  audit_log: AuditTable
  audit_chain: AuditChainTable
  application_operations: ApplicationOperationTable
}
