import { isUnavailable } from './faults.ts'

interface Entry<Item> {
  readonly item: Item
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Limits the size of one statement. */
const maxBatch = 500

/**
 * Writes items that are not part of a transaction. Items that arrive during a write are batched into the next one, because a
 * commit costs the same for one item and for a hundred. One connection is therefore enough.
 */
export class BatchedWrites<Item> {
  readonly #write: (items: readonly Item[]) => Promise<void>
  readonly #waiting: Entry<Item>[] = []
  #isWriting = false

  /** @param write writes all items in one transaction */
  constructor(write: (items: readonly Item[]) => Promise<void>) {
    this.#write = write
  }

  /** Settles when the item is committed. */
  add(item: Item): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ item, resolve, reject })
    if (!this.#isWriting) void this.#writeAll()
    return promise
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, maxBatch))
    this.#isWriting = false
  }

  async #writeBatch(entries: readonly Entry<Item>[]): Promise<void> {
    try {
      await this.#write(entries.map(({ item }) => item))
      for (const { resolve } of entries) resolve()
    } catch (error) {
      // An item that cannot be stored, such as a text with a zero byte, must not make the others of its batch fail.
      if (entries.length > 1 && !isUnavailable(error))
        for (const entry of entries) await this.#writeBatch([entry])
      else for (const { reject } of entries) reject(error)
    }
  }
}
