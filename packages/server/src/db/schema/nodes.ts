import type { BaseImageBuild, EngineMember } from '@sandglass/machines/contract'
import type { Connect, NodeResources } from '@sandglass/protocol'
import type { ColumnType } from 'kysely'
import type { Written } from './columns.ts'

/** A table with one row: the id that distinguishes this database from any other. */
export interface InstallationTable {
  id: ColumnType<string, never, never>
}

export interface ServiceKeyTable {
  name: Written<string>
  /** The key of an earlier version, until the first start after the upgrade has moved it to a file. */
  secret: Buffer | null
  /** Identifies the secret key that the processes of this database use. */
  key_id: string | null
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
  /** What its host has. */
  resources: ColumnType<NodeResources | null, never, string | null>
  /** The images that it builds for shapes. */
  image_builds: ColumnType<BaseImageBuild[] | null, never, string | null>
  /** The clusters that it uses. A node that is lost keeps them, so that another one knows which machines it can take up. */
  clusters: ColumnType<PublishedCluster[] | null, never, string | null>
}

/** A node that an operator has removed. */
export interface RemovedNodeTable {
  id: Written<string>
  last_machine_number: string
}

/** A cluster that a node uses, which it publishes with each heartbeat. */
export interface PublishedCluster {
  readonly engine: string
  /** `Engine.cluster`, if the engine has one. */
  readonly cluster?: string | undefined
  readonly members: readonly EngineMember[]
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
