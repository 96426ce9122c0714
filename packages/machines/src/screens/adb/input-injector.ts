import type { Stroke } from '../../contract/phone.ts'
import type { Point } from '../../contract/rect.ts'
import type { ScreenSize } from '../../contract/spec.ts'

/** A way in which touches and keys get to a device. */
export interface Hands {
  /** Settles when the device takes nothing more this way; it is connected to anew then. */
  readonly ended?: Promise<unknown>
  /** The screen as it is held now. */
  size(): Promise<ScreenSize>
  touch(stroke: Stroke, signal?: AbortSignal): Promise<void>
  /** One finger that is put down, moved and lifted by separate calls. */
  finger(phase: 'down' | 'move' | 'up', at: Point): Promise<void>
  /** One key by its Android name. */
  key(name: string): Promise<void>
}
