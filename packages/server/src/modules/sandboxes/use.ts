import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { touchAll } from '../../records/sandboxes.ts'

/** The use of one sandbox is recorded at most once per interval, and that of all at most once per shorter interval. */
const everyMs = 1000
const togetherMs = 250

/** How often it is tried to write what is left at the end. */
const maxAttempts = 10

/**
 * Renews the idle timeouts of sandboxes that are used, without making the callers wait for the write. Those that are used
 * in the same moment are renewed by one write, so that a crowd of busy sandboxes costs as little as one of them.
 */
export class SandboxUse {
  readonly #db: Database
  readonly #log: Logger
  readonly #recentlyRecorded = new Set<string>()
  /** Each sandbox is in it at most once. */
  readonly #waiting = new Set<string>()
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  touched(sandboxId: string): void {
    if (this.#recentlyRecorded.has(sandboxId)) return
    this.#recentlyRecorded.add(sandboxId)
    setTimeout(() => this.#recentlyRecorded.delete(sandboxId), everyMs).unref()
    this.#waiting.add(sandboxId)
    if (!this.#timer) this.#write()
  }

  /** Whether it was used in the last second. What was written about its use may be that old. */
  isRecent(sandboxId: string): boolean {
    return this.#recentlyRecorded.has(sandboxId) || this.#waiting.has(sandboxId)
  }

  /** Writes what is waiting. Call it when nothing is used any more. */
  async close(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      clearTimeout(this.#timer)
      await this.#writing
      if (this.#waiting.size === 0) return
      if (attempt > 0) await setTimeoutAsync(togetherMs)
      this.#write()
    }
  }

  /** The first use is written at once; those that follow wait until the interval has passed. */
  #write(): void {
    this.#timer = undefined
    if (this.#waiting.size === 0) return
    const ids = [...this.#waiting]
    this.#waiting.clear()
    this.#timer = setTimeout(() => this.#write(), togetherMs).unref()
    this.#writing = touchAll(this.#db, ids).then(
      locked => {
        for (const id of locked) this.#waiting.add(id)
      },
      error => this.#log.warn({ sandboxes: ids, error }, 'the last use of sandboxes could not be recorded'),
    )
  }
}
