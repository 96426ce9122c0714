import type { Json } from './handle.ts'
import type { MachineOwner } from './spec.ts'

/** What an engine keeps: a saved disk, a volume, or the base image that saved disks rely on. */
export type KeptKind = 'disk' | 'volume' | 'base'

/** What another engine of the same kind has to know of something kept, besides its content. */
export interface KeptDescription {
  readonly about: Json
  /** The id of the base image that it relies on, which has to be written before it. */
  readonly base?: string
  /** What its content takes on the disk of a host. */
  readonly occupiedMiB: number
}

/** Something kept that is about to be written. */
export interface KeptSpec {
  readonly id: string
  /** Left out for base images, which belong to nobody. */
  readonly owner?: MachineOwner
  readonly about: Json
}

/** Reads what an engine keeps, beside machines that run. The ids are those of `SnapshotSpec` and `VolumeSpec`. */
export interface KeptReader {
  /** Undefined if there is no such thing, or if it is not complete. */
  describe(kind: KeptKind, id: string): Promise<KeptDescription | undefined>
  /**
   * Reads the content as it is at one moment, while `use` runs. What has a volume can go on writing, and waits only for the moment.
   * Saved disks and base images never change.
   */
  read<T>(kind: KeptKind, id: string, use: (content: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>
}

/**
 * Carries what an engine keeps from one host to another. It works beside an engine that is running, which it does not disturb.
 * The handles of what is written are those of what was read.
 */
export interface Transfer extends KeptReader {
  /** Throws a `MachineError` of code `INVALID` if this host cannot use it. Nothing is written. */
  requireUsable(kind: KeptKind, spec: KeptSpec): Promise<void>
  /** Writes something completely or not at all. A base image that is there already is left as it is. */
  write(kind: KeptKind, spec: KeptSpec, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Removes everything that was written, where nothing else has been made. */
  abandon(): Promise<void>
}
