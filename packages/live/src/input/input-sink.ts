import type { InputFrame } from '@sandglass/wire/frames'

/** An input without the lease's number, which whoever sends it knows. */
export type Move = InputFrame extends infer Input
  ? Input extends InputFrame
    ? Omit<Input, 'lease'>
    : never
  : never

/** Where input goes. It is dropped while this viewer does not have the control. */
export interface Hand {
  readonly hasControl: boolean
  do(move: Move): void
}
