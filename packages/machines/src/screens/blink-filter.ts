import type { Rect } from '../contract/rect.ts'

/** A place that changes this often is not reacting to anything. */
const repeats = 3
const memoryMs = 4000

/** A larger area than this is never taken for a caret or a spinner. */
const maxAreaPx = 160 * 160

/** Changes that are closer to each other than this count as the same place. */
const gridPx = 48

/** Separates activity on a screen from a caret that blinks or a spinner that turns. */
export class BlinkFilter {
  readonly #seen = new Map<string, number[]>()

  /** Returns whether any of these changes is activity. */
  isActivity(rects: readonly Rect[], nowMs: number): boolean {
    // No short-circuit: every change has to be counted.
    return rects.map(rect => this.#isNew(rect, nowMs)).includes(true)
  }

  #isNew(rect: Rect, nowMs: number): boolean {
    if (rect.width * rect.height > maxAreaPx) return true
    const place = [rect.x, rect.y].map(at => Math.round(at / gridPx)).join()
    const times = (this.#seen.get(place) ?? []).filter(at => nowMs - at < memoryMs)
    times.push(nowMs)
    this.#seen.set(place, times.slice(-repeats))
    if (this.#seen.size > 1000) this.#seen.clear()
    return times.length < repeats
  }
}
