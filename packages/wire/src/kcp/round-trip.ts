/** Before the first sample. */
const initialTimeoutMs = 200

export interface RoundTripOptions {
  /** How coarse the clock of the sender and the acknowledgements of the receiver are, at the least. */
  readonly granularityMs: number
  readonly minTimeoutMs: number
  readonly maxTimeoutMs: number
}

/** How long an answer takes, and after how long it is overdue, as RFC 6298 reckons it. */
export class RoundTrip {
  readonly #o: RoundTripOptions
  #smoothedMs: number | undefined
  #variationMs = 0
  #timeoutMs: number

  constructor(options: RoundTripOptions) {
    this.#o = options
    this.#timeoutMs = this.#bounded(initialTimeoutMs)
  }

  get smoothedMs(): number | undefined {
    return this.#smoothedMs
  }

  get timeoutMs(): number {
    return this.#timeoutMs
  }

  /**
   * After so long without an acknowledgement, a segment that others overtook is lost and not merely late. RFC 8985 allows a
   * quarter of the round trip for disorder; half of that avoids nearly all needless resends and costs less time.
   */
  get lostMs(): number {
    return Math.min(this.#timeoutMs, (this.#smoothedMs ?? 0) * 1.125)
  }

  sample(ms: number): void {
    if (this.#smoothedMs === undefined) {
      this.#smoothedMs = ms
      this.#variationMs = ms / 2
    } else {
      this.#variationMs += (Math.abs(ms - this.#smoothedMs) - this.#variationMs) / 4
      this.#smoothedMs += (ms - this.#smoothedMs) / 8
    }
    this.#timeoutMs = this.#bounded(this.#smoothedMs + Math.max(this.#o.granularityMs, 4 * this.#variationMs))
  }

  #bounded(ms: number): number {
    return Math.min(this.#o.maxTimeoutMs, Math.max(this.#o.minTimeoutMs, ms))
  }
}
