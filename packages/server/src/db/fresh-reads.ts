/** Reads of one key begin this far apart where callers wait for the next. */
const paceMs = 1

interface Waiting<T> {
  readonly promise: Promise<T>
  readonly start: () => void
}

/**
 * Callers who ask for the same thing at the same time share one read. A caller joins only a read that has not begun
 * yet, so what it gets is never older than its question: this spares work without being a cache. A caller who is
 * alone waits for nobody; however many there are, the database is asked once a millisecond at the most.
 */
export class FreshReads<T> {
  readonly #running = new Set<string>()
  readonly #waiting = new Map<string, Waiting<T>>()

  read(key: string, query: () => Promise<T>): Promise<T> {
    const joined = this.#waiting.get(key)
    if (joined) return joined.promise
    if (!this.#running.has(key)) return this.#run(key, query)
    const { promise, resolve } = Promise.withResolvers<T>()
    this.#waiting.set(key, { promise, start: () => resolve(this.#run(key, query)) })
    return promise
  }

  async #run(key: string, query: () => Promise<T>): Promise<T> {
    this.#running.add(key)
    const beganAt = performance.now()
    try {
      return await query()
    } finally {
      const ahead = beganAt + paceMs - performance.now()
      if (ahead > 0 && this.#waiting.has(key)) setTimeout(() => this.#next(key), ahead)
      else this.#next(key)
    }
  }

  #next(key: string): void {
    this.#running.delete(key)
    const next = this.#waiting.get(key)
    this.#waiting.delete(key)
    next?.start()
  }
}
