/**
 * Something of which a peer may cause a limited amount per second, such as rectangles or packets. What it saved up
 * while it was quiet is limited to one second, so that a flood is noticed within that time.
 */
export class Allowance {
  readonly perSecond: number
  readonly #now: () => number
  #left: number
  #atMs: number

  /** `now` returns the current time in milliseconds; it never goes back. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.perSecond = perSecond
    this.#now = now
    this.#left = perSecond
    this.#atMs = now()
  }

  /**
   * Takes an amount, and returns false if more than the allowance was taken. It does not read the clock while there is
   * enough, so that it may be called for every rectangle or packet.
   */
  take(amount: number): boolean {
    this.#left -= amount
    return this.#left >= 0 || this.#refilled()
  }

  #refilled(): boolean {
    const nowMs = this.#now()
    this.#left = Math.min(this.perSecond, this.#left + (this.perSecond * (nowMs - this.#atMs)) / 1000)
    this.#atMs = nowMs
    return this.#left >= 0
  }
}
