import type { Listener } from './listener.ts'

/** How many answers are remembered, and for how long at the most, whatever is announced. */
const maxEntries = 10_000
const longestMs = 60_000

interface Entry<T> {
  readonly value: T
  readonly until: number
}

/**
 * Remembers what the database said of a key, such as who holds a credential, but only while the listener is known to hear of every change: it forgets what is
 * announced as changed, and everything when the listener loses its connection.
 */
export class VouchedCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  /** Counts what was forgotten, so that an answer read before a change is not remembered after it. */
  #changes = 0

  /** What is remembered, if it may still be believed. */
  recall(key: string, listener: Pick<Listener, 'isFresh'>, now = performance.now()): T | undefined {
    const known = this.#entries.get(key)
    return known && known.until > now && listener.isFresh(now) ? known.value : undefined
  }

  async get(key: string, listener: Pick<Listener, 'isFresh'>, find: () => Promise<T>): Promise<T> {
    const now = performance.now()
    const fresh = listener.isFresh(now)
    const known = this.recall(key, listener, now)
    if (known !== undefined) return known
    const changesBefore = this.#changes
    const value = await find()
    if (fresh && value !== undefined && this.#changes === changesBefore) this.#remember(key, value, now)
    return value
  }

  forget(key: string): void {
    this.#changes++
    this.#entries.delete(key)
  }

  forgetAll(): void {
    this.#changes++
    this.#entries.clear()
  }

  #remember(key: string, value: T, now: number): void {
    if (this.#entries.size >= maxEntries) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: now + longestMs })
  }
}
