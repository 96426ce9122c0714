import type { PictureFrame } from '@sandglass/wire/frames'

type WithoutSequence<T> = T extends unknown ? Omit<T, 'sequence'> : never

/** A picture frame without a sequence number, so that it can be sent to any viewer. */
export type Drawing = WithoutSequence<PictureFrame>

/** An encoded change, shared by all viewers that need it. */
export interface Encoded {
  readonly now: readonly Drawing[]
  /** Frames that must follow, if encoding them takes longer. */
  readonly later?: Promise<readonly Drawing[]> | undefined
  /** The cells that are only approximate after all of it is drawn. */
  readonly rough: readonly number[]
}
