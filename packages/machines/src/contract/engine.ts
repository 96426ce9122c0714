import type { Abortable } from './abortable.ts'
import type { EngineImages } from './engine-images.ts'
import type { MachineHandle } from './handle.ts'
import type { Machine } from './machine.ts'
import type { MemoryTemplates } from './memory-templates.ts'
import type { Snapshots } from './snapshots.ts'
import type { MachineOwner, MachineSpec } from './spec.ts'

/** What an engine can do, as data, so that a caller asks before it calls. */
export interface Capabilities {
  /** `pause` stops all CPU use and keeps memory and screen. */
  readonly pause: boolean
  /** `MachineSpec.egress` is enforced. */
  readonly egress: boolean
  /** What `Machine.dial` gives can be ended in one direction while the other goes on. */
  readonly halfClose: boolean
}

/**
 * Who else uses the engine.
 *
 * `node`: every machine that it lists belongs to this node, so one that nobody claims is reported to the operator.
 * `shared`: several nodes, and other programs, use the same cluster. `list` then contains the machines of all of them, and
 * a node must only touch machines whose {@link ListedMachine.owner} names it.
 */
export type EngineScope = 'node' | 'shared'

export type MachineStatus =
  /** Being made, or left half-made by a service that ended: destroy it. */
  | 'creating'
  | 'running'
  | 'paused'
  /** Not running; its files are kept until `destroy`, and `restart` starts it. */
  | 'stopped'
  | 'missing'
  /**
   * The engine cannot find out: the network to the machine, or to the cluster that has it, is broken. The machine may be
   * running, so a caller must not destroy it, close it or report it as dead. Ask again later.
   */
  | 'unreachable'

export interface MachineState {
  readonly status: MachineStatus
  /** Why it is not running, or cannot be reached, where that is known. A sentence for a person. */
  readonly reason?: string
}

/** What an engine knows of a machine without looking into it. */
export interface ListedMachine {
  /** The `MachineSpec.id` that it was made with. */
  readonly id: string
  readonly handle: MachineHandle
  /** The `MachineSpec.owner` that it was made with. Undefined where there was none, or where the create ended before it was stored. */
  readonly owner?: MachineOwner | undefined
  readonly image?: string | undefined
}

/** Whether an engine can make machines now. */
export type EngineHealth =
  | {
      readonly ready: true
      /**
       * Images of which no machine can be made now, each with the reason as a sentence for a person: an image that is
       * still being built, a pool whose phones are all in use.
       */
      readonly unavailable: Readonly<Record<string, string>>
    }
  /** `reason` is a sentence for a person: what is wrong and, where it is known, what fixes it. */
  | { readonly ready: false; readonly reason: string }

/** How many further machines fit. */
export interface Capacity {
  readonly fits: number
  /** Set where `fits` is 0: what is exhausted and what frees some of it, as a sentence for a person. */
  readonly reason?: string
}

/**
 * Makes machines: containers on this box, virtual machines, instances in a cluster, phones.
 *
 * Every call settles in bounded time. An engine that asks a daemon or a cluster therefore has deadlines of its own, and
 * fails with a {@link MachineError} of code `UNREACHABLE` when they pass.
 */
export interface Engine {
  /** The name by which shapes and handles refer to it. */
  readonly name: string
  readonly scope: EngineScope
  readonly capabilities: Capabilities
  /** Left out by engines that cannot save the disk of a machine. */
  readonly snapshots?: Snapshots
  /** Left out by engines whose images are only changed by the operator. */
  readonly images?: EngineImages
  /** Left out by engines that cannot save the memory of a machine. */
  readonly memory?: MemoryTemplates
  /** Settles when the desktop is really there. When it fails or is aborted, nothing of the machine is left. */
  create(spec: MachineSpec, options?: Abortable): Promise<MachineHandle>
  /** Asked before every create, so it answers from memory or within milliseconds. It does not fail. */
  health(): Promise<EngineHealth>
  /**
   * How many further machines with a disk of this size fit now; of one image alone where that is given. It is a forecast:
   * a `create` that comes later may still fail with `NO_CAPACITY`.
   */
  capacity(diskMiB: number, image?: string): Promise<Capacity>
  /**
   * Connects to a machine that runs; also after a restart of the service, and any number of times. Fails with `STATE` where
   * the machine does not run, and with `UNREACHABLE` where that cannot be found out.
   */
  open(handle: MachineHandle): Promise<Machine>
  inspect(handle: MachineHandle): Promise<MachineState>
  /** Ends every process, keeps every file, and starts the desktop again; also from `stopped` and `paused`. */
  restart(handle: MachineHandle, options?: Abortable): Promise<void>
  pause(handle: MachineHandle): Promise<void>
  resume(handle: MachineHandle): Promise<void>
  /** Leaves nothing behind, in whatever state the machine was. Repeating it is no error. */
  destroy(handle: MachineHandle): Promise<void>
  /** Every machine of which anything exists, half-made ones included, and whose it is: the truth for a reaper. */
  list(): Promise<ListedMachine[]>
  /** Lets go of what the engine holds in this process. Machines go on running. */
  close(): Promise<void>
}
