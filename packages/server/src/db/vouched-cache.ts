import type { Listener } from './listener.ts'

/** The maximum number of entries, and their maximum age, whatever is announced. */
const maxEntries = 10_000
const maxAgeMs = 60_000

interface Entry<T> {
  readonly value: T
  readonly until: number
}

/**
 * Caches values of the database, such as the holder of a credential, but only while the listener is known to receive
 * every change. Values that are announced as changed are evicted, and all values are evicted when the listener loses
 * its connection.
 */
export class VouchedCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  /** Counts evictions, so that a value that was read before a change is not cached after it. */
  #evictions = 0

  /** Returns the cached value, if it can still be trusted. */
  recall(key: string, listener: Pick<Listener, 'isFresh'>, now = performance.now()): T | undefined {
    const cached = this.#entries.get(key)
    return cached && cached.until > now && listener.isFresh(now) ? cached.value : undefined
  }

  async get(key: string, listener: Pick<Listener, 'isFresh'>, find: () => Promise<T>): Promise<T> {
    const now = performance.now()
    const fresh = listener.isFresh(now)
    const cached = this.recall(key, listener, now)
    if (cached !== undefined) return cached
    const evictionsBefore = this.#evictions
    const value = await find()
    if (fresh && value !== undefined && this.#evictions === evictionsBefore) this.#remember(key, value, now)
    return value
  }

  forget(key: string): void {
    this.#evictions++
    this.#entries.delete(key)
  }

  forgetAll(): void {
    this.#evictions++
    this.#entries.clear()
  }

  #remember(key: string, value: T, now: number): void {
    if (this.#entries.size >= maxEntries) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: now + maxAgeMs })
  }
}
