/** The delay before the first probe, and the maximum between two. The protocol leaves both to the implementation. */
const firstDelayMs = 300
const maxDelayMs = 10_000

/** Schedules probes of a closed window, so that the loss of one window update does not stall the connection. */
export class WindowProbe {
  #delayMs = firstDelayMs
  #probeAt = Number.POSITIVE_INFINITY

  get probeAt(): number {
    return this.#probeAt
  }

  /** Whether to probe now. */
  due(closed: boolean, now: number): boolean {
    if (!closed) {
      this.#delayMs = firstDelayMs
      this.#probeAt = Number.POSITIVE_INFINITY
      return false
    }
    if (this.#probeAt === Number.POSITIVE_INFINITY) {
      this.#probeAt = now + this.#delayMs
      return false
    }
    if (now < this.#probeAt) return false
    this.#delayMs = Math.min(maxDelayMs, this.#delayMs * 1.5)
    this.#probeAt = now + this.#delayMs
    return true
  }
}
