import type { AuditChainTable, AuditTable, IdempotencyTable } from './schema/calls.ts'
import type { EventPositionTable, EventTable } from './schema/events.ts'
import type { McpCallTable, McpClientTable } from './schema/mcp.ts'
import type { InstallationTable, NodeTable, RemovedNodeTable, ServiceKeyTable } from './schema/nodes.ts'
import type {
  ApiKeyTable,
  OperatorKeyTable,
  OrganizationTable,
  PlanTable,
  ProjectTable,
  ReplacedSecretTable,
  TrialTokenTable,
  UsageSpanTable,
} from './schema/organizations.ts'
import type {
  ApplicationOperationTable,
  EndedSandboxTable,
  HttpMappingTable,
  LiveInvitationTable,
  MachineTable,
  McpServerTable,
  McpSessionTable,
  SandboxTable,
} from './schema/sandboxes.ts'
import type {
  BuildStepTable,
  BuildUploadPieceTable,
  BuildUploadTable,
  ImageBuildTable,
  MachineImageTable,
  SandboxSnapshotTable,
  SavedDiskTable,
  VolumeMountTable,
  VolumeTable,
} from './schema/saved.ts'
import type { SessionTable, SignInCodeTable } from './schema/sessions.ts'
import type { SandboxActionTable } from './schema/timeline.ts'
import type { WebhookDeliveryTable, WebhookTable } from './schema/webhooks.ts'

export type * from './schema/calls.ts'
export type * from './schema/events.ts'
export type * from './schema/mcp.ts'
export type * from './schema/nodes.ts'
export type * from './schema/organizations.ts'
export type * from './schema/sandboxes.ts'
export type * from './schema/saved.ts'
export type * from './schema/sessions.ts'
export type * from './schema/timeline.ts'
export type * from './schema/webhooks.ts'

/** The tables of the database for Kysely. The files in migrations/ create them. */
export interface Schema {
  plans: PlanTable
  organizations: OrganizationTable
  projects: ProjectTable
  api_keys: ApiKeyTable
  operator_keys: OperatorKeyTable
  trial_tokens: TrialTokenTable
  replaced_secrets: ReplacedSecretTable
  sessions: SessionTable
  sign_in_codes: SignInCodeTable
  nodes: NodeTable
  removed_nodes: RemovedNodeTable
  installation: InstallationTable
  sandboxes: SandboxTable
  ended_sandboxes: EndedSandboxTable
  machines: MachineTable
  saved_disks: SavedDiskTable
  machine_images: MachineImageTable
  build_steps: BuildStepTable
  build_uploads: BuildUploadTable
  build_upload_pieces: BuildUploadPieceTable
  image_builds: ImageBuildTable
  sandbox_snapshots: SandboxSnapshotTable
  volumes: VolumeTable
  volume_mounts: VolumeMountTable
  http_mappings: HttpMappingTable
  live_invitations: LiveInvitationTable
  usage_spans: UsageSpanTable
  service_keys: ServiceKeyTable
  mcp_servers: McpServerTable
  mcp_sessions: McpSessionTable
  mcp_clients: McpClientTable
  mcp_calls: McpCallTable
  idempotency: IdempotencyTable
  audit_log: AuditTable
  audit_chain: AuditChainTable
  application_operations: ApplicationOperationTable
  events: EventTable
  event_positions: EventPositionTable
  sandbox_actions: SandboxActionTable
  webhooks: WebhookTable
  webhook_deliveries: WebhookDeliveryTable
}
