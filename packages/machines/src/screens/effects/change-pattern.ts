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

/** Only the last changes of a movement tell how regular it is. */
const maxIntervals = 12
const minIntervals = 6

/** Something that moves by itself changes the screen in nearly equal steps; what programs paint when they start does not. */
const maxIrregularity = 5
const jitterMs = 50

/** Tells reactions to an action from what moves by itself. */
export class ChangePattern {
  readonly #places = new Map<string, number[]>()
  /** What moved already when the action began. */
  #knownPlaces = new Set<string>()
  #isFlowKnown = false
  /** The times between the last changes of the current movement. */
  #intervals: number[] = []
  /** A known movement has ended if nothing changes for longer than this. */
  #knownGapMs = gapMs
  #beganMs = Number.NEGATIVE_INFINITY
  #changedAtMs = Number.NEGATIVE_INFINITY
  #flowSinceMs = Number.NEGATIVE_INFINITY
  #spunAtMs = Number.NEGATIVE_INFINITY
  #repeatedAtMs = Number.NEGATIVE_INFINITY

  changed(rects: readonly Rect[], nowMs: number): void {
    // No short-circuit: every change has to be counted.
    if (!rects.map(rect => this.#isReaction(rect, nowMs)).includes(true)) return
    this.#forgetEnded(nowMs)
    const interval = nowMs - this.#changedAtMs
    if (interval > gapMs) {
      this.#flowSinceMs = nowMs
      this.#intervals = []
    } else if (interval > 0) this.#intervals = [...this.#intervals, interval].slice(-maxIntervals)
    this.#changedAtMs = nowMs
  }

  /**
   * Notes that an action begins. What moved at the end of the last wait, or moves now, is not caused by it. `isWatched` says
   * that every change until now was seen.
   */
  begin(nowMs: number, isWatched: boolean): void {
    if (isWatched && nowMs - this.#changedAtMs > this.#knownGapMs) this.#isFlowKnown = false
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
  changedAtMs(nowMs: number): number {
    return this.isFlowKnown(nowMs) ? Number.NEGATIVE_INFINITY : this.#changedAtMs
  }

  /** When a spinner turned last that did not turn before the action. */
  get spunAtMs(): number {
    return this.#spunAtMs
  }

  /** Whether a large part of the screen moved already when the action began, and still does. */
  isFlowKnown(nowMs: number): boolean {
    this.#forgetEnded(nowMs)
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

  /** Nobody may have watched before the action, so that its end shows only afterwards. */
  #forgetEnded(nowMs: number): void {
    if (nowMs - Math.max(this.#changedAtMs, this.#beganMs) > this.#knownGapMs) this.#isFlowKnown = false
  }

  #noteMoving(nowMs: number): void {
    const regularGapMs = longestRegular(this.#intervals)
    if (regularGapMs !== undefined && nowMs - this.#changedAtMs < gapMs && this.flowMs(nowMs) > gapMs) {
      this.#isFlowKnown = true
      this.#knownGapMs = Math.max(2 * frameMs, regularGapMs)
    }
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

/** The longest time between two changes of a regular movement. Undefined if the changes are not regular, or too few. */
function longestRegular(intervals: readonly number[]): number | undefined {
  if (intervals.length < minIntervals) return undefined
  const usual = intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0
  const limit = usual * maxIrregularity + jitterMs
  return Math.max(...intervals) <= limit ? Math.min(gapMs, limit) : undefined
}
