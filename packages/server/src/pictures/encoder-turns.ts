interface Waiting {
  readonly id: string
  readonly start: () => void
}

/**
 * Who is encoded next. Pictures that somebody is fetching go first and may use every thread. The others leave one thread
 * free, since most pictures of a busy agent are never fetched: they delay neither a fetch nor the answer to an action.
 */
export class EncoderTurns {
  readonly #threads: number
  readonly #fetched = new Set<string>()
  readonly #first: Waiting[] = []
  readonly #later: Waiting[] = []
  #running = 0

  constructor(threads: number) {
    this.#threads = threads
  }

  /** Does the work when it is its turn. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(start => {
      const line = this.#fetched.has(id) ? this.#first : this.#later
      line.push({ id, start })
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#running--
      this.#fetched.delete(id)
      this.#next()
    }
  }

  /** Somebody fetches this picture, which may wait already or begin to wait soon. */
  prioritize(id: string): void {
    this.#fetched.add(id)
    const at = this.#later.findIndex(waiting => waiting.id === id)
    if (at >= 0) this.#first.push(...this.#later.splice(at, 1))
    this.#next()
  }

  #next(): void {
    const forLater = Math.max(1, this.#threads - 1)
    while (this.#running < this.#threads) {
      const next = this.#first.shift() ?? (this.#running < forLater ? this.#later.shift() : undefined)
      if (!next) return
      this.#running++
      next.start()
    }
  }
}
