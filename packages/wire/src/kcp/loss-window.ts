import type { CongestionControl, Flushed } from './congestion-control.ts'

const minThreshold = 2

/**
 * KCP's own congestion window: it doubles each round trip up to a threshold, then grows by one per round trip. A fast
 * resend halves it, and a timeout resets it.
 */
export class LossWindow implements CongestionControl {
  readonly #fastResend: number
  #window = 1
  #threshold = minThreshold
  /** Acknowledged segments towards the next increase above the threshold. */
  #progress = 0

  constructor(fastResend: number) {
    this.#fastResend = fastResend
  }

  get segments(): number {
    return Math.floor(this.#window)
  }

  acknowledged(count: number, limit: number): void {
    for (let i = 0; i < count && this.#window < limit; i++) {
      if (this.#window < this.#threshold) this.#window++
      else if (++this.#progress >= this.#window) {
        this.#progress = 0
        this.#window++
      }
    }
  }

  measured(): void {}

  flushed({ resentFast, timedOut, inFlight }: Flushed): void {
    if (resentFast + timedOut === 0) return
    const before = this.#window
    this.#progress = 0
    this.#threshold = Math.max(minThreshold, (timedOut > 0 ? before : inFlight) / 2)
    this.#window = timedOut > 0 ? 1 : this.#threshold + this.#fastResend
  }
}
