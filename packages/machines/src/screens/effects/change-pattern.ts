import type { Rect } from '../../contract/rect.ts'

/** A larger area than this is never taken for a caret or a spinner. */
const maxSmallPx = 160 * 160

/** Changes that are closer to each other than this count as the same place. */
const gridPx = 48

/** A small place that changed this often in `memoryMs` is not reacting to anything: a caret blinks or a spinner turns. */
const repeats = 3
const memoryMs = 4000

/** A caret blinks once or twice per second; a spinner turns faster than this. */
const spinsPerSecond = 6

/** Changes that follow each other within this time are one movement. */
const gapMs = 400

/** Something that moves changes the screen at least this often. */
const frameMs = 100

/** Tells reactions to an action from what moves by itself. */
export class ChangePattern {
  readonly #places = new Map<string, number[]>()
  /** What moved already when the action began. */
  #knownPlaces = new Set<string>()
  #isFlowKnown = false
  #beganMs = Number.NEGATIVE_INFINITY
  #changedAtMs = Number.NEGATIVE_INFINITY
  #flowSinceMs = Number.NEGATIVE_INFINITY
  #spunAtMs = Number.NEGATIVE_INFINITY
  #repeatedAtMs = Number.NEGATIVE_INFINITY

  changed(rects: readonly Rect[], nowMs: number): void {
    // No short-circuit: every change has to be counted.
    if (!rects.map(rect => this.#isReaction(rect, nowMs)).includes(true)) return
    if (nowMs - this.#changedAtMs > gapMs) this.#flowSinceMs = nowMs
    // Nobody may have watched before the action.
    if (nowMs - Math.max(this.#changedAtMs, this.#beganMs) > gapMs) this.#isFlowKnown = false
    this.#changedAtMs = nowMs
  }

  /**
   * Notes that an action begins. What moved at the end of the last wait, or moves now, is not caused by it. `isWatched` says
   * that every change until now was seen.
   */
  begin(nowMs: number, isWatched: boolean): void {
    if (isWatched && nowMs - this.#changedAtMs > gapMs) this.#isFlowKnown = false
    this.#noteMoving(nowMs)
    this.#beganMs = nowMs
  }

  /** Notes that nobody may watch from now on. */
  end(nowMs: number): void {
    this.#knownPlaces.clear()
    this.#isFlowKnown = false
    this.#noteMoving(nowMs)
  }

  /** When the screen changed last, apart from what moved already. */
  get changedAtMs(): number {
    return this.#isFlowKnown ? Number.NEGATIVE_INFINITY : this.#changedAtMs
  }

  /** When a spinner turned last that did not turn before the action. */
  get spunAtMs(): number {
    return this.#spunAtMs
  }

  /** Whether a large part of the screen moved already when the action began. */
  get isFlowKnown(): boolean {
    return this.#isFlowKnown
  }

  /** For how long the screen has been changing without a pause. */
  flowMs(nowMs: number): number {
    return nowMs - this.#changedAtMs < gapMs ? nowMs - this.#flowSinceMs : 0
  }

  /** Whether anything moves at the moment that is no caret. */
  isMoving(nowMs: number): boolean {
    return nowMs - this.#changedAtMs < frameMs || nowMs - this.#repeatedAtMs < 2 * frameMs
  }

  #noteMoving(nowMs: number): void {
    if (nowMs - this.#changedAtMs < gapMs && this.flowMs(nowMs) > gapMs) this.#isFlowKnown = true
    for (const [place, times] of this.#places)
      if (nowMs - (times.at(-1) ?? 0) < gapMs && isSpinning(times, nowMs)) this.#knownPlaces.add(place)
  }

  #isReaction(rect: Rect, nowMs: number): boolean {
    if (rect.width * rect.height > maxSmallPx) return true
    const place = [rect.x, rect.y].map(at => Math.round(at / gridPx)).join()
    const times = (this.#places.get(place) ?? []).filter(at => nowMs - at < memoryMs)
    times.push(nowMs)
    if (this.#places.size > 1000) this.#places.clear()
    this.#places.set(place, times.slice(-2 * spinsPerSecond))
    if (isSpinning(times, nowMs)) {
      this.#repeatedAtMs = nowMs
      if (!this.#knownPlaces.has(place)) this.#spunAtMs = nowMs
    }
    return times.length < repeats && !this.#knownPlaces.has(place)
  }
}

function isSpinning(times: readonly number[], nowMs: number): boolean {
  return times.filter(at => nowMs - at < 1000).length >= spinsPerSecond
}
