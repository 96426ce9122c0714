import type { Rect } from '../contract/rect.ts'
import type { SettleOptions } from '../contract/screen.ts'
import { BlinkFilter } from './blink-filter.ts'
import { type Clock, systemClock } from './clock.ts'

/** Knows how long a screen has been quiet, apart from a caret that blinks or a spinner that turns. */
export class SettleDetector {
  readonly #clock: Clock
  readonly #blinkFilter = new BlinkFilter()
  #changedAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Records what changed on the screen. */
  changed(rects: readonly Rect[]): void {
    const nowMs = this.#clock.now()
    if (this.#blinkFilter.isActivity(rects, nowMs)) this.#changedAtMs = nowMs
  }

  /** Resolves with true once nothing has changed for `quietMs` from now on, and with false after `maxMs`. */
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
