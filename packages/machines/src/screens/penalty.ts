const firstMs = 1000
const maxMs = 30_000

/** A machine that kept its limits for this long starts again with the first penalty. */
const forgivenAfterMs = 60_000

/**
 * Keeps a machine that exceeded a limit disconnected for a while: a second at first, and twice as long each time it
 * does so again.
 */
export class Penalty {
  readonly #now: () => number
  #reason: unknown
  #untilMs = Number.NEGATIVE_INFINITY
  #lengthMs = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  impose(reason: unknown): void {
    const nowMs = this.#now()
    const isForgiven = nowMs - this.#untilMs > forgivenAfterMs
    this.#lengthMs = isForgiven ? firstMs : Math.min(2 * this.#lengthMs, maxMs)
    this.#untilMs = nowMs + this.#lengthMs
    this.#reason = reason
  }

  /** Throws the reason until the time is over. */
  check(): void {
    if (this.#now() < this.#untilMs) throw this.#reason
  }
}
