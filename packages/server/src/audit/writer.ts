import type { Prepared } from '../db/database.ts'
import { isUnavailable } from '../db/faults.ts'
import { type AuditRecord, appendAudits } from './store.ts'

interface Entry {
  readonly record: AuditRecord
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Limits the size of one statement. */
const maxBatch = 500

/**
 * Writes entries that are not part of a transaction. Entries that arrive during a write are batched into the next
 * one, because a commit costs the same for one entry and for a hundred. One connection is therefore enough.
 */
export class AuditWriter {
  readonly #prepared: Prepared
  readonly #waiting: Entry[] = []
  #isWriting = false

  constructor(prepared: Prepared) {
    this.#prepared = prepared
  }

  /** Settles when the entry is committed. */
  append(record: AuditRecord): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ record, resolve, reject })
    if (!this.#isWriting) void this.#writeAll()
    return promise
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, maxBatch))
    this.#isWriting = false
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    try {
      await appendAudits(
        this.#prepared,
        entries.map(({ record }) => record),
      )
      for (const { resolve } of entries) resolve()
    } catch (error) {
      // An entry that cannot be stored, such as a text with a zero byte, must not make the others of its batch fail.
      if (entries.length > 1 && !isUnavailable(error)) for (const entry of entries) await this.#write([entry])
      else for (const { reject } of entries) reject(error)
    }
  }
}
