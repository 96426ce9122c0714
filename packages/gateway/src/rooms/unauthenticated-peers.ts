/** Counts the peers per address that have not authenticated yet. */
export class UnauthenticatedPeers {
  readonly #max: number
  readonly #counts = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /**
   * Returns undefined if the address has reached the limit; otherwise a function to call once the peer has
   * authenticated or left.
   */
  enter(address: string): (() => void) | undefined {
    const count = this.#counts.get(address) ?? 0
    if (count >= this.#max) return undefined
    this.#counts.set(address, count + 1)
    let isIn = true
    return () => {
      if (isIn) this.#leave(address)
      isIn = false
    }
  }

  #leave(address: string): void {
    const left = (this.#counts.get(address) ?? 1) - 1
    if (left === 0) this.#counts.delete(address)
    else this.#counts.set(address, left)
  }
}
