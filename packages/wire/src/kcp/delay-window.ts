import type { CongestionControl, Flushed } from './congestion-control.ts'

const initialWindow = 64
const smallestWindow = 16
/** How long segments may wait in queues on their way, at the least; on a long path it is half as long as the path. */
const tolerableMs = 25
/** Paths lose a tenth for reasons of their own, and as many acknowledgements; more than this is lost because it is too much. */
const tolerableLoss = 0.4
/** For how long the fastest round trip is remembered: paths change. */
const memoryMs = 10_000

/**
 * A window that looks at how long segments are on their way and hardly at how many are lost: it widens each round trip while it is
 * used up and no queue builds, and narrows to what keeps the queue short. So a path that loses some is used whole, and a slow one is not
 * flooded, which would make everything late.
 */
export class DelayWindow implements CongestionControl {
  #window = initialWindow
  #limit = initialWindow
  /** Until the first sign that the window is too wide. */
  #starting = true
  #fastest = { now: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY, until: 0 }
  #round = newRound(0)
  /** Of all that was sent and sent again, what is further back counting less. */
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
      this.#fastest = { now: roundTripMs, before: this.#fastest.now, until: now + memoryMs }
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
    this.#window = Math.max(smallestWindow, Math.min(this.#window * factor, this.#limit))
  }

  /** By how much less would have to be on its way to keep the queues as short as they may be. */
  #delayExcess(): number {
    const pathMs = Math.min(this.#fastest.now, this.#fastest.before)
    const bearableMs = pathMs + Math.max(tolerableMs, pathMs / 2)
    return Math.max(0.5, bearableMs / (this.#round.totalMs / this.#round.samples))
  }

  #lossExcess(): number {
    const tooMuch = this.#resent > this.#sent * tolerableLoss
    this.#sent *= 0.75
    this.#resent *= 0.75
    return tooMuch ? 0.7 : 1
  }
}

const newRound = (endsAt: number) => ({ endsAt, samples: 0, totalMs: 0, full: false })
