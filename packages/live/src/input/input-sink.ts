import type { InputFrame } from '@sandglass/wire/frames'

/** An input frame without its lease number, which the sender adds. */
export type Input = InputFrame extends infer Each
  ? Each extends InputFrame
    ? Omit<Each, 'lease'>
    : never
  : never

/** Takes the viewer's input. It is dropped while this viewer is not in control. */
export interface InputSink {
  readonly hasControl: boolean
  send(input: Input): void
}
