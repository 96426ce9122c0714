import type { SnapshotHandle, VolumeHandle } from '@sandglass/machines/contract'
import type { Image, SavedStatus } from '@sandglass/protocol'
import type { ColumnType, Generated } from 'kysely'
import type { StoredSpec } from '../../auth/environment-seal.ts'
import type { CreatedAt, Written } from './columns.ts'

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
  /** Whether the memory of the machine is saved with it. */
  memory: ColumnType<boolean, boolean | undefined, never>
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
  /** How many machines are kept ready on the node that has its disk. */
  warm: ColumnType<number, never, number>
  created_by: Written<string>
  created_at: CreatedAt
}

/** How far the making of an image has got. The database notes its end. */
export interface ImageBuildTable {
  image_id: Written<string>
  kind: Written<'build' | 'import'>
  node_id: Written<string>
  steps_done: ColumnType<number, never, number>
  steps_total: Written<number | null>
  activity: ColumnType<string | null, never, string>
  started_at: CreatedAt
  ended_at: ColumnType<Date | null, never, never>
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

/** A file that was uploaded for an image build. Its uploader names it by a hash. */
export interface BuildUploadTable {
  id: Written<string>
  org_id: Written<string>
  hash: Written<string>
  size_bytes: Written<number>
  created_at: Generated<Date>
}

export interface BuildUploadPieceTable {
  upload_id: Written<string>
  position: Written<number>
  bytes: Written<Buffer>
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
