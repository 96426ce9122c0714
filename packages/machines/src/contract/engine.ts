import type { Abortable } from './abortable.ts'
import type { MachineActivity } from './activity.ts'
import type { CreateOptions } from './create-options.ts'
import type { EngineImages } from './engine-images.ts'
import type { MachineFigures } from './figures.ts'
import type { MachineHandle } from './handle.ts'
import type { Machine } from './machine.ts'
import type { EngineMember } from './members.ts'
import type { MemoryTemplates } from './memory-templates.ts'
import type { MachineReach } from './reach.ts'
import type { Snapshots } from './snapshots.ts'
import type { MachineOwner, MachineSpec } from './spec.ts'
import type { KeptReader } from './transfer.ts'
import type { Volumes } from './volumes.ts'

/** What an engine can do, as data, so that callers can check before they call. */
export interface Capabilities {
  /** `pause` stops all CPU use and keeps memory and screen. */
  readonly pause: boolean
  /** `MachineSpec.egress` is enforced. */
  readonly egress: boolean
  /** The lists of `MachineSpec.egress` may have the names of hosts, not only networks. */
  readonly egressNames: boolean
  /** A connection of `Machine.dial` can be closed in one direction while the other stays open. */
  readonly halfClose: boolean
  /** `Snapshots` save the memory of a machine together with its disk if that is wanted. */
  readonly saveMemory: boolean
}

/**
 * Who else uses the engine.
 *
 * `node`: every machine that it lists belongs to this node, so one that nobody claims is reported to the operator.
 * `shared`: several nodes, and other programs, use the same cluster. `list` then contains the machines of all of them, and
 * a node must only touch machines whose {@link ListedMachine.owner} names it.
 */
export type EngineScope = 'node' | 'shared'

/** The state of a machine, as `Engine.inspect` finds it. */
export type MachineStatus =
  /** Being created, or left incomplete by a service that ended: destroy it. */
  | 'creating'
  | 'running'
  | 'paused'
  /** Not running. Its files are kept until `destroy`, and `restart` starts it again. */
  | 'stopped'
  | 'missing'
  /**
   * The engine cannot find out: the network to the machine, or to the cluster that has it, is broken. The machine may be
   * running, so a caller must not destroy it, close it or report it as dead. Ask again later.
   */
  | 'unreachable'
  /**
   * The member of the cluster that has the machine is gone, as the cluster itself says. The machine does not run for its
   * user and cannot be reached until the member returns. `destroy` fails with `UNREACHABLE` until then.
   */
  | 'lost'

/** A machine's status, and the reason if it cannot be used. */
export interface MachineState {
  readonly status: MachineStatus
  /** Why it is not running or cannot be reached, if that is known. A sentence for a person. */
  readonly reason?: string
}

/** What an engine knows about a machine without connecting to it. */
export interface ListedMachine {
  /** The `MachineSpec.id` that it was created with. */
  readonly id: string
  readonly handle: MachineHandle
  /** The `MachineSpec.owner` that it was created with. Undefined if there was none, or if the create ended before it was stored. */
  readonly owner?: MachineOwner | undefined
  readonly image?: string | undefined
  /** The {@link EngineMember.name} of the host that has it. Left out by engines without members. */
  readonly member?: string | undefined
}

/** An image that an engine builds by itself. */
export interface BaseImageBuild {
  readonly image: string
  readonly state: 'waiting' | 'building' | 'ready' | 'failed'
  /** ISO times. */
  readonly startedAt?: string
  readonly endedAt?: string
  /** The last line that a running build printed. */
  readonly activity?: string
  /** Why it has failed. */
  readonly reason?: string
}

/** Whether an engine can create machines now. */
export type EngineHealth =
  | {
      readonly ready: true
      /**
       * Images that cannot be used now, each with the reason as a sentence for a person: an image that is still being
       * built, a pool whose phones are all in use.
       */
      readonly unavailable: Readonly<Record<string, string>>
      /** Those of them that are being built, or will be, so that they can be used after a while. */
      readonly preparing?: readonly string[]
      /** The images that the engine builds for its shapes. Left out by engines that build none. */
      readonly builds?: readonly BaseImageBuild[]
    }
  /**
   * `reason` is a sentence for a person: what is wrong and, if known, how to fix it. `isOpening` says that nothing is wrong yet, because
   * the engine is opened for the first time.
   */
  | { readonly ready: false; readonly reason: string; readonly isOpening?: true }

/** How many more machines fit. */
export interface Capacity {
  readonly fits: number
  /** Set if `fits` is 0: what is exhausted and how to free some of it, as a sentence for a person. */
  readonly reason?: string
}

/** The size of a file system, and what is left of it. */
export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
}

/**
 * Creates machines: containers on this host, virtual machines, instances in a cluster, phones.
 *
 * Every call settles in bounded time. An engine that asks a daemon or a cluster therefore has its own deadlines, and
 * fails with a {@link MachineError} of code `UNREACHABLE` when they pass.
 */
export interface Engine {
  /** The name by which shapes and handles refer to it. */
  readonly name: string
  readonly scope: EngineScope
  /**
   * Identifies the cluster of a shared engine, the same in every process that uses it. When a node is lost, another node whose
   * engine has the same name and cluster takes up its machines. Left out by engines whose machines only one node can use.
   */
  readonly cluster?: string
  readonly capabilities: Capabilities
  /** Left out by engines that cannot save the disk of a machine. */
  readonly snapshots?: Snapshots
  /** Left out by engines whose machines can share no folders. */
  readonly volumes?: Volumes
  /** Reads saved disks and volumes for backups. Left out by engines that cannot. */
  readonly kept?: KeptReader
  /** Left out by engines whose images are only changed by the operator. */
  readonly images?: EngineImages
  /**
   * Identifies the content of an image that `MachineSpec.image` can name: machines that were created from images with the same
   * digest started with the same files. Left out by engines that do not know it.
   */
  imageDigest?(image: string): Promise<string>
  /** Left out by engines that cannot save the memory of a machine. */
  readonly memory?: MemoryTemplates
  /** Resolves when the desktop is ready to use. If it fails or is aborted, nothing of the machine is left. */
  create(spec: MachineSpec, options?: CreateOptions): Promise<MachineHandle>
  /** Called before every create, so it answers from memory or within milliseconds. It never rejects. */
  health(): Promise<EngineHealth>
  /**
   * Returns how many more machines with a disk of this size fit now, of one image if it is given. It is a forecast: a
   * later `create` may still fail with `NO_CAPACITY`.
   */
  capacity(diskMiB: number, image?: string): Promise<Capacity>
  /**
   * Returns the hosts of the cluster. It answers from memory, and with what was last known if the cluster does not answer. Left
   * out by engines that are not a cluster.
   */
  members?(): Promise<readonly EngineMember[]>
  /**
   * The {@link EngineMember.name} of the member on which a machine was last seen, from memory; undefined if it was not seen yet. Left out
   * by engines that are not a cluster, or that can always list their machines.
   */
  memberOf?(handle: MachineHandle): string | undefined
  /** Set by the service. Engines that are a cluster call it when a member was given up, or is back. */
  onMembersChange?: (() => void) | undefined
  /**
   * Returns the space where the engine keeps disks, saved disks and volumes. It may grow by itself when more is needed. Left out
   * by engines that do not know it.
   */
  diskSpace?(): Promise<DiskSpace>
  /**
   * Connects to a running machine, also after a restart of the service, and any number of times. Fails with `STATE` if
   * the machine does not run, and with `UNREACHABLE` if the engine cannot find out.
   */
  open(handle: MachineHandle): Promise<Machine>
  /**
   * The way into a running machine for a worker that opens it in place of `open`. Left out by engines whose machines are on
   * this host, because the host process connects workers to those.
   */
  reachFromWorker?(handle: MachineHandle): Promise<MachineReach>
  inspect(handle: MachineHandle): Promise<MachineState>
  /** Ends every process, keeps every file, and starts the desktop again. Also works from `stopped` and `paused`. */
  restart(handle: MachineHandle, options?: Abortable): Promise<void>
  /**
   * Ends every process, so that the machine takes nothing but its disk; `restart` starts it again. Repeating it is not an
   * error. Left out by engines that cannot stop a machine and start it again.
   */
  stop?(handle: MachineHandle): Promise<void>
  /**
   * Starts a machine that `stop` has ended with its programs where they were. Left out by engines whose `stop` keeps no memory, so that
   * only `restart` starts a machine again.
   */
  wake?(handle: MachineHandle, options?: Abortable): Promise<void>
  pause(handle: MachineHandle): Promise<void>
  resume(handle: MachineHandle): Promise<void>
  /**
   * Says what the processes of a machine do. Undefined if the host does not count for this machine. Left out by engines that do
   * not know it, whose machines are then idle whatever programs do in them.
   */
  activity?(handle: MachineHandle): Promise<MachineActivity | undefined>
  /**
   * Says what a running or paused machine uses. STATE if it does not run. Left out by engines that know nothing of it.
   */
  figures?(handle: MachineHandle): Promise<MachineFigures>
  /** Leaves nothing behind, whatever state the machine was in. Repeating it is not an error. */
  destroy(handle: MachineHandle): Promise<void>
  /**
   * Says to which tenant each machine belongs, by machine id, so that the engine can share the processor between tenants.
   * An engine whose machines do not share one leaves it out.
   */
  assign?(tenants: ReadonlyMap<string, string>): void
  /** Lists every machine that exists at least in part, with its owner. A reaper relies on it being complete. */
  list(): Promise<ListedMachine[]>
  /** Releases what the engine holds in this process. Machines keep running. */
  close(): Promise<void>
}
