import type { Abortable } from './abortable.ts'
import type { CreateOptions } from './create-options.ts'
import type { Json, MachineHandle } from './handle.ts'
import type { MachineOwner, MachineSpec } from './spec.ts'

/** What a caller stores to find a snapshot again. Like a {@link MachineHandle}, its `state` is opaque outside the engine. */
export interface SnapshotHandle {
  readonly engine: string
  readonly version: number
  readonly state: Json
}

/** What an engine knows about a snapshot. */
export interface ListedSnapshot {
  /** The {@link SnapshotSpec.id} that it was taken with. */
  readonly id: string
  readonly handle: SnapshotHandle
  readonly owner?: MachineOwner | undefined
  /** What it occupies by itself, without the layers that it shares with its image and with other snapshots. */
  readonly sizeMiB: number
}

/** The identity of a snapshot that is about to be taken. */
export interface SnapshotSpec {
  /** Chosen by the caller, unique in the engine, with the same characters as a machine's id. */
  readonly id: string
  readonly owner?: MachineOwner
  /**
   * Whether the memory is saved too, so that programs continue where they were after a `create` or a `restore`. Only for engines
   * with `Capabilities.saveMemory`.
   */
  readonly memory?: boolean
}

/** A snapshot that was just taken. */
export interface TakenSnapshot {
  readonly handle: SnapshotHandle
  /** How long programs in the machine could not write. */
  readonly pauseMs: number
  /** As {@link ListedSnapshot.sizeMiB}. */
  readonly sizeMiB: number
}

/**
 * Saved disks of machines. A snapshot is independent of the machine it was taken from: destroying one does not affect
 * the other.
 */
export interface Snapshots {
  /**
   * Saves the disk as it is at one moment. The machine may be running, paused or stopped; what runs waits with its writes
   * for that moment and then continues. Programs find the files as after a power loss, unless memory is saved too.
   */
  take(machine: MachineHandle, spec: SnapshotSpec, options?: Abortable): Promise<TakenSnapshot>
  /**
   * Like `Engine.create`, but the disk starts as the snapshot's. `spec.image` and `spec.diskMiB` must be those of the saved
   * machine.
   */
  create(snapshot: SnapshotHandle, spec: MachineSpec, options?: CreateOptions): Promise<MachineHandle>
  /**
   * Like `Engine.restart`, but the disk becomes the snapshot's. If it fails, the disk is either the old one or the
   * snapshot's, and nothing in between; it can be repeated.
   */
  restore(machine: MachineHandle, snapshot: SnapshotHandle, options?: Abortable): Promise<void>
  /** Repeating it is not an error. Machines that were created from it keep running. */
  remove(snapshot: SnapshotHandle): Promise<void>
  /**
   * Returns why the snapshot cannot be used now, as a sentence for a person, such as that the only member that has it is gone;
   * undefined if it can be used. It answers from memory. Left out by engines whose snapshots can always be used.
   */
  obstacle?(snapshot: SnapshotHandle): Promise<string | undefined>
  /** Lists every snapshot that exists at least in part, so that a reaper finds those that nobody refers to. */
  list(): Promise<ListedSnapshot[]>
}
