import type { Point } from './rect.ts'

export type MouseButton =
  | 'left'
  | 'middle'
  | 'right'
  | 'back'
  | 'forward'
  | 'wheelUp'
  | 'wheelDown'
  | 'wheelLeft'
  | 'wheelRight'

export interface TypeOptions {
  /** How a line break is typed: as Enter, or as the Shift+Enter that breaks a line and sends nothing. */
  readonly lineBreak: 'Enter' | 'Shift+Enter'
  readonly signal?: AbortSignal | undefined
}

/**
 * The hands on a machine. What they are told takes effect in order; `taken` settles when the machine has it all.
 * Keys are named by their X keysym, which RFB uses as well.
 */
export interface Input {
  move(to: Point): Promise<void>
  press(button: MouseButton): void
  release(button: MouseButton): void
  /** Finds keys for these, so that `keyDown` has them at once. */
  prepare(keysyms: readonly number[], signal?: AbortSignal): Promise<void>
  keyDown(keysym: number): void
  keyUp(keysym: number): void
  /** Every key and button comes up that was pressed by these hands; settles when the machine has it. */
  releaseAll(): Promise<void>
  /** Where the pointer is, once everything before was taken. */
  taken(): Promise<Point>
  /** Types text exactly, whatever the state of the keyboard, which is left as it was. */
  type(text: string, options: TypeOptions): Promise<void>
}
