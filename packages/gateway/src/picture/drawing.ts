import type { PictureFrame } from '@sandglass/wire/frames'

type WithoutSequence<T> = T extends unknown ? Omit<T, 'sequence'> : never

/** A frame of the picture that anybody may be sent. */
export type Drawing = WithoutSequence<PictureFrame>

/** What was encoded once, for as many as need it. */
export interface Encoded {
  readonly now: readonly Drawing[]
  /** What must follow, where that takes longer. */
  readonly later?: Promise<readonly Drawing[]> | undefined
  /** The cells that are only nearly right when all of it is drawn. */
  readonly rough: readonly number[]
}
