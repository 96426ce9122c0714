const forgottenPerSecond = 100
const limit = 2000

/**
 * How many datagrams of no use a peer may send. Loss and delay make some, each with a useful one beside it; a peer that sends more
 * than are forgiven for that is flooding.
 */
export class FloodLimit {
  #tried = 0
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** False when the patience is at its end. */
  allows(useful: boolean, now: number): boolean {
    const forgotten = ((now - this.#at) / 1000) * forgottenPerSecond
    this.#at = now
    this.#tried = Math.max(0, this.#tried - forgotten + (useful ? -1 : 1))
    return this.#tried <= limit
  }
}
