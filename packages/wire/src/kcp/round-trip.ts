/** Used before the first sample. */
const initialTimeoutMs = 200

/** Limits of the retransmission timeout. */
export interface RoundTripOptions {
  /** The resolution of the sender's clock and of the receiver's acknowledgements, at least. */
  readonly granularityMs: number
  readonly minTimeoutMs: number
  readonly maxTimeoutMs: number
}

/** The smoothed round-trip time and the retransmission timeout, computed as in RFC 6298. */
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
   * After this long without an acknowledgement, a segment that later ones overtook counts as lost and not merely late.
   * RFC 8985 allows a quarter of the round trip for reordering; half of that avoids nearly all needless resends and is
   * faster.
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
