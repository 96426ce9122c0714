import type { Rect } from '../contract/rect.ts'

/** What changes so often in one place is no reaction to anything. */
const repeats = 3
const memoryMs = 4000

/** A larger place than this is never taken for a caret or a spinner. */
const largestPx = 160 * 160

/** Changes nearer to each other than this are in one place. */
const gridPx = 48

/** Tells a screen that reacts from one where only a caret blinks or a spinner turns. */
export class Restlessness {
  readonly #seen = new Map<string, number[]>()

  /** Whether any of these changes says that something happens. */
  isTelling(rects: readonly Rect[], nowMs: number): boolean {
    // Each is counted, also where an earlier one has told already.
    return rects.map(rect => this.#isNew(rect, nowMs)).includes(true)
  }

  #isNew(rect: Rect, nowMs: number): boolean {
    if (rect.width * rect.height > largestPx) return true
    const place = [rect.x, rect.y].map(at => Math.round(at / gridPx)).join()
    const times = (this.#seen.get(place) ?? []).filter(at => nowMs - at < memoryMs)
    times.push(nowMs)
    this.#seen.set(place, times.slice(-repeats))
    if (this.#seen.size > 1000) this.#seen.clear()
    return times.length < repeats
  }
}
