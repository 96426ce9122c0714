/** The first question, and the longest time between two. The protocol leaves both to the asker. */
const firstWaitMs = 300
const longestWaitMs = 10_000

/** When to ask a peer whose window is closed whether it still is, lest the loss of one answer stops everything. */
export class WindowProbe {
  #waitMs = firstWaitMs
  #askAt = Number.POSITIVE_INFINITY

  get askAt(): number {
    return this.#askAt
  }

  /** Whether to ask now. */
  due(closed: boolean, now: number): boolean {
    if (!closed) {
      this.#waitMs = firstWaitMs
      this.#askAt = Number.POSITIVE_INFINITY
      return false
    }
    if (this.#askAt === Number.POSITIVE_INFINITY) {
      this.#askAt = now + this.#waitMs
      return false
    }
    if (now < this.#askAt) return false
    this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 1.5)
    this.#askAt = now + this.#waitMs
    return true
  }
}
