const forgivenPerSecond = 100
const limit = 2000

/**
 * Limits the useless datagrams of a peer. Loss and delay cause some, along with useful ones; a peer that sends more
 * than the limit forgives is flooding.
 */
export class FloodLimit {
  #useless = 0
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** Returns false when the limit is exceeded. */
  allows(useful: boolean, now: number): boolean {
    const forgiven = ((now - this.#at) / 1000) * forgivenPerSecond
    this.#at = now
    this.#useless = Math.max(0, this.#useless - forgiven + (useful ? -1 : 1))
    return this.#useless <= limit
  }
}
