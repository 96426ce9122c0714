const smallestThreshold = 2

/**
 * KCP's congestion window, in segments: it doubles each round trip up to a threshold, then grows by one each round trip; a fast
 * resend halves it, a timeout begins anew.
 */
export class CongestionWindow {
  #window = 1
  #threshold = smallestThreshold
  /** Acknowledged segments towards the next step beyond the threshold. */
  #progress = 0

  get segments(): number {
    return Math.floor(this.#window)
  }

  /** Segments were acknowledged; more than `limit` are of no use. */
  acknowledged(count: number, limit: number): void {
    for (let i = 0; i < count && this.#window < limit; i++) {
      if (this.#window < this.#threshold) this.#window++
      else if (++this.#progress >= this.#window) {
        this.#progress = 0
        this.#window++
      }
    }
  }

  resentFast(inFlight: number, spare: number): void {
    this.#threshold = Math.max(smallestThreshold, inFlight / 2)
    this.#window = this.#threshold + spare
    this.#progress = 0
  }

  timedOut(): void {
    this.#threshold = Math.max(smallestThreshold, this.#window / 2)
    this.#window = 1
    this.#progress = 0
  }
}
