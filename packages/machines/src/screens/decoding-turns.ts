/** How long all screens together may decode per turn of the event loop. */
const maxTurnMs = 2

/** Something to decode that can be divided into steps of about a millisecond. */
export interface Decoding {
  /** Does one step, and returns whether it was the last. Must not throw. */
  step(): boolean
}

/**
 * Divides the time of the event loop between screens and everything else that this process does. Machines decide how
 * much there is to decode, so once a turn of the loop has had enough of it, the rest waits for the next turns, in which
 * screens take steps one after another. A screen that has little to decode waits for one step of each other screen at
 * most.
 */
export class DecodingTurns {
  readonly #waiting = new Set<Decoding>()
  readonly #now: () => number
  #usedMs = 0
  #isScheduled = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Begins now if there is time left in this turn, and otherwise later. */
  begin(decoding: Decoding): void {
    if (this.#waiting.size > 0 || this.#usedMs >= maxTurnMs) this.#waiting.add(decoding)
    else this.#step(decoding)
    this.#schedule()
  }

  /** Forgets what has not been decoded yet. */
  cancel(decoding: Decoding): void {
    this.#waiting.delete(decoding)
  }

  #step(decoding: Decoding): void {
    const beganMs = this.#now()
    if (!decoding.step()) this.#waiting.add(decoding)
    this.#usedMs += this.#now() - beganMs
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    this.#usedMs = 0
    for (const decoding of [...this.#waiting]) {
      if (this.#usedMs >= maxTurnMs) break
      this.#waiting.delete(decoding)
      this.#step(decoding)
    }
    if (this.#waiting.size > 0) this.#schedule()
  }
}

/** The turns of this process. */
export const decodingTurns = new DecodingTurns()
