/** Peers that have not said who they are, counted by their addresses. */
export class UnauthenticatedPeers {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Undefined where so many of that address wait already; otherwise to be called once when it is a stranger no more. */
  enter(address: string): (() => void) | undefined {
    const count = this.#counts.get(address) ?? 0
    if (count >= this.#most) return undefined
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
