import type { Rect } from '../contract/rect.ts'
import type { SettleOptions } from '../contract/screen.ts'
import { type Clock, systemClock } from './clock.ts'
import { Restlessness } from './restlessness.ts'

/** Knows since when nothing has happened on a screen, apart from a caret that blinks or a spinner that turns. */
export class Stillness {
  readonly #clock: Clock
  readonly #restlessness = new Restlessness()
  #changedAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Takes note of what changed on the screen. */
  changed(rects: readonly Rect[]): void {
    const nowMs = this.#clock.now()
    if (this.#restlessness.isTelling(rects, nowMs)) this.#changedAtMs = nowMs
  }

  /** Settles with true once nothing has happened for `quietMs` from now on, and with false after `maxMs`. */
  async settled({ quietMs, maxMs, signal }: SettleOptions): Promise<boolean> {
    const beganMs = this.#clock.now()
    for (;;) {
      const nowMs = this.#clock.now()
      const quietForMs = nowMs - Math.max(beganMs, this.#changedAtMs)
      if (quietForMs >= quietMs) return true
      if (nowMs - beganMs >= maxMs) return false
      await this.#clock.pause(Math.min(quietMs - quietForMs, beganMs + maxMs - nowMs), signal)
    }
  }
}
