import type { Point } from './rect.ts'

/** A mouse button, or one notch of a wheel. */
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

/** How text is typed. */
export interface TypeOptions {
  /** The keys for a line break. Enter submits in many programs; Shift+Enter only breaks the line. */
  readonly lineBreak: 'Enter' | 'Shift+Enter'
  readonly signal?: AbortSignal | undefined
}

/**
 * Keyboard and mouse of a machine. Calls take effect in the order in which they are made, and most return before the
 * machine has seen them; `taken` settles when it has. Keys are X keysyms, which RFB uses as well.
 *
 * @example
 * ```ts
 * const input = await machine.screen.input()
 * await input.move({ x: 100, y: 50 })
 * input.press('left')
 * input.release('left')
 * await input.taken()
 * ```
 */
export interface Input {
  /** Moves the pointer. */
  move(to: Point): Promise<void>
  press(button: MouseButton): void
  release(button: MouseButton): void
  /** Settles when a button that was released is up for every program, so that the next press is a click of its own. */
  released(signal?: AbortSignal): Promise<void>
  /** Maps these keysyms to keys of the keyboard. `keyDown` needs that, because remapping a key takes a round trip. */
  prepare(keysyms: readonly number[], signal?: AbortSignal): Promise<void>
  keyDown(keysym: number): void
  keyUp(keysym: number): void
  /** Releases every key and button that this input pressed, and settles when the machine has seen it. */
  releaseAll(): Promise<void>
  /** Settles when the machine has taken all input so far, and resolves to the position of the pointer. */
  taken(): Promise<Point>
  /** Types text exactly, regardless of held modifiers and locks, and restores their state afterwards. */
  type(text: string, options: TypeOptions): Promise<void>
}
