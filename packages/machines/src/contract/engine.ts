import type { MachineHandle } from './handle.ts'
import type { Machine } from './machine.ts'
import type { MachineOwner, MachineSpec } from './spec.ts'

/** What an engine can do, as data, so that a caller asks before it calls. */
export interface Capabilities {
  /** `pause` stops all CPU use and keeps memory and screen. */
  readonly pause: boolean
  /** `MachineSpec.egress` is enforced. */
  readonly egress: boolean
  /** `MachineSpec.diskMiB` is a limit, not a hint. */
  readonly diskLimit: boolean
  /** The desktop is an X display, so `screen:x11` can be dialled. */
  readonly x11: boolean
  /** What `Machine.dial` gives can be ended in one direction while the other goes on. */
  readonly halfClose: boolean
}

export type MachineStatus =
  /** Being made, or left half-made by a service that ended: destroy it. */
  | 'creating'
  | 'running'
  | 'paused'
  /** Not running; its files are kept until `destroy`, and `restart` starts it. */
  | 'stopped'
  | 'missing'

export interface MachineState {
  readonly status: MachineStatus
  /** Why it is not running, where that is known. */
  readonly reason?: string
}

/** What an engine knows of a machine without looking into it. */
export interface ListedMachine {
  /** The `MachineSpec.id` that it was made with. */
  readonly id: string
  readonly handle: MachineHandle
  /** Undefined where it was made without one, or ended before it was written down. */
  readonly owner?: MachineOwner | undefined
  readonly image?: string | undefined
}

export interface Abortable {
  readonly signal?: AbortSignal
}

export interface Engine {
  readonly name: string
  readonly capabilities: Capabilities
  /** Settles when the desktop is really there. When it fails or is aborted, nothing of the machine is left. */
  create(spec: MachineSpec, options?: Abortable): Promise<MachineHandle>
  /** How many further machines with a disk of this size would fit now. */
  room(diskMiB: number): Promise<number>
  /** Why no further machine with a disk of this size can be made now, and what to do; undefined where one can. */
  shortage(diskMiB: number): Promise<string | undefined>
  /** Also after a restart of the service, and as often as one likes. */
  open(handle: MachineHandle): Promise<Machine>
  inspect(handle: MachineHandle): Promise<MachineState>
  /** Ends every process, keeps every file, and starts the desktop again; also from `stopped` and `paused`. */
  restart(handle: MachineHandle, options?: Abortable): Promise<void>
  pause(handle: MachineHandle): Promise<void>
  resume(handle: MachineHandle): Promise<void>
  /** Leaves nothing behind, in whatever state the machine was. Repeating it is no error. */
  destroy(handle: MachineHandle): Promise<void>
  /** Every machine of which anything exists, half-made ones included: the truth for a reaper. */
  list(): Promise<ListedMachine[]>
  /** Lets go of what the engine holds in this process. Machines go on running. */
  close(): Promise<void>
}
