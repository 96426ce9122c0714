/**
 * Limits the memory of pictures that are being processed. While it is full, one waiting caller continues for each
 * picture that is done.
 */
export class Backlog {
  readonly #limit: number
  readonly #waiters: (() => void)[] = []
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.#bytes >= this.#limit
  }

  /** Resolves when there is capacity, in the order of the calls. */
  async waitForCapacity(): Promise<void> {
    if (this.isFull || this.#waiters.length > 0)
      await new Promise<void>(resolve => this.#waiters.push(resolve))
  }

  /** Counts this many bytes until the work ends. */
  async during<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#bytes += bytes
    try {
      return await work()
    } finally {
      this.#bytes -= bytes
      if (this.isFull) this.#waiters.shift()?.()
      else for (const release of this.#waiters.splice(0)) release()
    }
  }
}
