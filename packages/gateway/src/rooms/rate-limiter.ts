/** `burst` at once, refilled by `perSecond`. */
export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

/** A token bucket. */
export class RateLimiter {
  readonly #rate: Rate
  #left: number
  #atMs: number

  constructor(rate: Rate, nowMs = performance.now()) {
    this.#rate = rate
    this.#left = rate.burst
    this.#atMs = nowMs
  }

  /** Takes tokens from the bucket; returns false and takes none if too few are left. */
  take(cost = 1, nowMs = performance.now()): boolean {
    const { burst, perSecond } = this.#rate
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) / 1000) * perSecond)
    this.#atMs = nowMs
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }
}
