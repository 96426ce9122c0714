import type { MachinePlace } from './members.ts'
import type { VolumeMount } from './volumes.ts'

/** One destination that a machine may reach. Without `ports`, every port. */
export type EgressRule = { readonly ports?: readonly number[] } & (
  | {
      /** An IPv4 network such as `203.0.113.0/24`, or a single address. */
      readonly cidr: string
    }
  | {
      /** A name such as `example.com`, or `*.example.com` for all names below it. */
      readonly host: string
    }
)

/**
 * What a machine may reach. `internet`: everything through NAT, except private, link-local and metadata addresses and the
 * host's own. `none`: no packet leaves, and no name resolves. A list: exactly its destinations, private
 * networks included; only the names of its hosts resolve, and only to public addresses.
 */
export type Egress = 'internet' | 'none' | readonly EgressRule[]

/** Width and height in pixels. */
export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/**
 * Who made a machine. An engine stores it with the machine and reports it in `list`, so that a reaper only touches the
 * machines of its own node.
 */
export interface MachineOwner {
  /** The id of the database that has a row for the machine. */
  readonly installation: string
  /** The service process that made it. */
  readonly node: string
  /** A counter of the node's machines; later machines have larger numbers. */
  readonly number: number
}

/** What a machine is made from. An engine that cannot honour a field says so in its capabilities. */
export interface MachineSpec {
  /** Chosen by the caller and unique in the engine: lower-case letters, digits and `-`, max 40 characters. */
  readonly id: string
  /** The name of an image that the engine knows. */
  readonly image: string
  /** Processor time in cores; 0.5 is half of one. */
  readonly cpus: number
  readonly memoryMiB: number
  readonly pids: number
  readonly diskMiB: number
  readonly screen?: ScreenSize
  readonly egress?: Egress
  /** Added to the environment of the desktop and of every program. */
  readonly env?: Readonly<Record<string, string>>
  /** The name of the runtime that isolates the machine, if the engine has several. The engine's default otherwise. */
  readonly runtime?: string
  /** Whether programs inside may become root with sudo. They may, unless this is false. */
  readonly sudo?: boolean
  /** Volumes of the engine, at most 8. A machine that is created from a snapshot has those of its own spec only. */
  readonly volumes?: readonly VolumeMount[]
  readonly owner?: MachineOwner
  /** A preference, which engines that are not a cluster ignore. */
  readonly place?: MachinePlace
}

/** The screen of a machine whose spec names none. */
export const defaultScreen: ScreenSize = { width: 1280, height: 720 }
