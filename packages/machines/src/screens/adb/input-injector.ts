import type { Stroke } from '../../contract/phone.ts'
import type { Point } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'

/** Injects touches and keys into a device. */
export interface InputInjector {
  /** Resolves when the device accepts no more input this way; it has to be connected to again then. */
  readonly ended?: Promise<unknown>
  /** The screen size in the current orientation. */
  size(): Promise<ScreenSize>
  touch(stroke: Stroke, signal?: AbortSignal): Promise<void>
  /** Puts down, moves or lifts one finger. */
  finger(phase: 'down' | 'move' | 'up', at: Point): Promise<void>
  /** Presses a key by its Android name. */
  key(name: string): Promise<void>
}
