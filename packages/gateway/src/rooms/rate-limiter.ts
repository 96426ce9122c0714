/** So many at once, and so many more each second. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** What is left of a rate. */
export class RateLimiter {
  readonly #rate: Rate
  #left: number
  #atMs: number

  constructor(rate: Rate, nowMs = performance.now()) {
    this.#rate = rate
    this.#left = rate.burst
    this.#atMs = nowMs
  }

  /** False where there is not so much left. */
  take(cost = 1, nowMs = performance.now()): boolean {
    const { burst, perSecond } = this.#rate
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond)
    this.#atMs = nowMs
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }
}
