import type { DatabaseClock } from './clock.ts'

/** The max delay of a timer. When it fires early for a later time, it is set again. */
const maxTimerMs = 3_600_000
/** A timer may fire slightly early, and the database clock is known only to within a few milliseconds. */
export const clockToleranceMs = 5

/**
 * One timer for the next of many times that are announced, which are times of the database. It waits by the database clock: on a
 * node whose own clock is ahead, everything would otherwise seem to be due.
 */
export class Alarm {
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #ring: () => void
  #timer: NodeJS.Timeout | undefined
  #setFor = Number.POSITIVE_INFINITY
  #isClosed = false

  /** @param ring called once per time that was set; look then what is due, and set the next time */
  constructor(clock: Pick<DatabaseClock, 'now'>, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Sets the timer to a time if it is earlier than the current one. */
  set(atMs: number): void {
    if (this.#isClosed || atMs >= this.#setFor) return
    clearTimeout(this.#timer)
    this.#setFor = atMs
    const leftMs = atMs + clockToleranceMs - this.#clock.now()
    this.#timer = setTimeout(this.#ring, Math.min(Math.max(0, leftMs), maxTimerMs))
  }

  /** Forgets the time that was set. Call it before looking what is due, so that a time which is announced meanwhile counts. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#setFor = Number.POSITIVE_INFINITY
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}
