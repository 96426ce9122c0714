import type { Abortable } from './abortable.ts'
import type { Json } from './handle.ts'
import type { MachineOwner } from './spec.ts'

/** What a caller stores to find a volume again. Like a `MachineHandle`, its `state` is opaque outside the engine. */
export interface VolumeHandle {
  readonly engine: string
  readonly version: number
  readonly state: Json
}

/** A volume that is about to be created. */
export interface VolumeSpec {
  /** Chosen by the caller, unique in the engine, with the same characters as a machine's id. */
  readonly id: string
  readonly sizeMiB: number
  readonly owner?: MachineOwner
}

/** What an engine knows about a volume. */
export interface ListedVolume {
  /** The {@link VolumeSpec.id} that it was created with. */
  readonly id: string
  readonly handle: VolumeHandle
  readonly owner?: MachineOwner | undefined
  /** What its files occupy. Undefined if it was not created completely, or if that cannot be read. */
  readonly usedMiB?: number | undefined
}

/** Where a machine has a volume. */
export interface VolumeMount {
  /** The {@link VolumeSpec.id} of the volume. */
  readonly id: string
  /** A folder of the machine, which `volumePathProblem` of the protocol accepts. */
  readonly path: string
  /** Whether nothing in the machine can change the volume, not even root. */
  readonly readOnly?: boolean
}

/**
 * Folders with a size limit that outlive machines. A machine has the volumes that its spec names, from its creation until it is
 * destroyed: one that can write has the volume alone, and any number of machines can read. A `create` that would break this
 * fails with `STATE`.
 */
export interface Volumes {
  /**
   * Creates an empty volume, whose folder belongs to the user of the desktop. Repeating it is not an error, also after it was
   * interrupted; what is on the volume is kept.
   */
  create(spec: VolumeSpec, options?: Abortable): Promise<VolumeHandle>
  /** Deletes a volume with everything on it. Fails with `STATE` while a machine has it. Repeating it is not an error. */
  remove(volume: VolumeHandle): Promise<void>
  /** Lists every volume that exists at least in part. */
  list(): Promise<ListedVolume[]>
}
