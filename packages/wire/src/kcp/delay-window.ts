import type { CongestionControl, Flushed } from './congestion-control.ts'

const initialWindow = 64
const minWindow = 16
/** The queueing delay that is tolerated at least; on a long path it is half the path's delay. */
const minQueueDelayMs = 25
/**
 * Some paths lose a tenth of all segments and as many acknowledgements without congestion. Loss above this is
 * congestion.
 */
const maxLoss = 0.4
/** How long the fastest round trip is remembered, because paths change. */
const fastestMemoryMs = 10_000

/**
 * A congestion window that reacts to delay and hardly to loss: it widens each round trip while it is full and no queue
 * builds up, and narrows until the queue is short. A lossy path is therefore fully used, and a slow one is not flooded,
 * which would delay everything.
 */
export class DelayWindow implements CongestionControl {
  #window = initialWindow
  #limit = initialWindow
  /** True until the window is too wide for the first time. */
  #starting = true
  #fastest = { now: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY, until: 0 }
  #round = newRound(0)
  /** Segments sent and resent, weighted by recency. */
  #sent = 0
  #resent = 0

  get segments(): number {
    return Math.floor(this.#window)
  }

  acknowledged(_count: number, limit: number): void {
    this.#limit = limit
  }

  measured(roundTripMs: number, now: number): void {
    if (now >= this.#fastest.until)
      this.#fastest = { now: roundTripMs, before: this.#fastest.now, until: now + fastestMemoryMs }
    this.#fastest.now = Math.min(this.#fastest.now, roundTripMs)
    this.#round.samples++
    this.#round.totalMs += roundTripMs
    if (now < this.#round.endsAt) return
    if (this.#round.full) this.#adjust()
    this.#round = newRound(now + roundTripMs)
  }

  flushed({ sent, resentFast, timedOut, full }: Flushed): void {
    this.#sent += sent
    this.#resent += resentFast + timedOut
    this.#round.full ||= full
  }

  #adjust(): void {
    const narrowing = Math.min(this.#delayExcess(), this.#lossExcess())
    if (narrowing < 1) this.#starting = false
    const factor = narrowing < 1 ? narrowing : this.#starting ? 1.5 : 1.125
    this.#window = Math.max(minWindow, Math.min(this.#window * factor, this.#limit))
  }

  /** The factor by which to reduce the segments in flight to keep queues short. */
  #delayExcess(): number {
    const pathMs = Math.min(this.#fastest.now, this.#fastest.before)
    const targetMs = pathMs + Math.max(minQueueDelayMs, pathMs / 2)
    return Math.max(0.5, targetMs / (this.#round.totalMs / this.#round.samples))
  }

  #lossExcess(): number {
    const tooMuch = this.#resent > this.#sent * maxLoss
    this.#sent *= 0.75
    this.#resent *= 0.75
    return tooMuch ? 0.7 : 1
  }
}

const newRound = (endsAt: number) => ({ endsAt, samples: 0, totalMs: 0, full: false })
