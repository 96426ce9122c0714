import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { endExpired } from '../modules/sandboxes/end.ts'
import { nextEnd } from '../modules/sandboxes/store.ts'

/** A timer's longest wait; a later end is armed again then. */
const longestMs = 3_600_000
/** After a failure, such as a database that is away. */
const retryMs = 500

/** Ends sandboxes when their time is over. One timer, set to the next end that any process announced. */
export class Expirer {
  readonly #db: Database
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #closed = false

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** An end was announced: wakes up for it if it is the next. */
  arm(endMs: number): void {
    if (this.#closed || endMs >= this.#armedFor) return
    clearTimeout(this.#timer)
    this.#armedFor = endMs
    this.#timer = setTimeout(() => void this.run(), Math.min(Math.max(0, endMs - Date.now()), longestMs))
  }

  /** Ends what is over, and waits for the next; also when announcements may have been missed. */
  async run(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY
    try {
      await endExpired(this.#db)
      const next = await nextEnd(this.#db)
      if (next) this.arm(next.getTime())
    } catch (error) {
      this.#log.warn({ error }, 'ending sandboxes failed; it will be tried again')
      this.arm(Date.now() + retryMs)
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
