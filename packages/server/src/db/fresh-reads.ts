/** The minimum time between two reads of one key while callers are waiting. */
const minIntervalMs = 1

interface Waiting<T> {
  readonly promise: Promise<T>
  readonly start: () => void
}

/**
 * Lets concurrent callers with the same key share one read. A caller joins only a read that has not started yet, so
 * its result is never older than its request: this saves work without being a cache. A single caller never waits for
 * others. However many callers there are, each key is read once per millisecond at most.
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
      const delayMs = beganAt + minIntervalMs - performance.now()
      if (delayMs > 0 && this.#waiting.has(key)) setTimeout(() => this.#next(key), delayMs)
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
