import type { Logger } from 'pino'
import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { endExpired } from '../records/end-sandbox.ts'
import { nextEnd } from '../records/sandboxes.ts'

/** A timer's longest wait; a later end is armed again then. */
const longestMs = 3_600_000
/** After a failure, such as a database that is away. */
const retryMs = 500
/** A sandbox that is over and could not be ended, since another process holds its row, is tried again after so long. */
const heldRetryMs = 200
/** A timer may fire a moment early, and the clock of the database is known to within a few milliseconds. */
const lateByMs = 5

/**
 * Ends sandboxes when their time is over. One timer, set to the next end that any process announced. Ends are times of the
 * database, so they are waited for by its clock: by the clock of a node that is ahead, each would seem to be over already.
 */
export class Expirer {
  readonly #db: Database
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #closed = false

  constructor(db: Database, clock: Pick<DatabaseClock, 'now'>, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#log = log
  }

  /** An end was announced: wakes up for it if it is the next. */
  arm(endMs: number): void {
    if (this.#closed || endMs >= this.#armedFor) return
    clearTimeout(this.#timer)
    this.#armedFor = endMs
    const leftMs = endMs + lateByMs - this.#clock.now()
    this.#timer = setTimeout(() => void this.run(), Math.min(Math.max(0, leftMs), longestMs))
  }

  /** Ends what is over, and waits for the next; also when announcements may have been missed. */
  async run(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY
    try {
      await endExpired(this.#db)
      const next = await nextEnd(this.#db)
      if (!next) return
      const now = this.#clock.now()
      this.arm(next.getTime() > now ? next.getTime() : now + heldRetryMs)
    } catch (error) {
      this.#log.warn({ error }, 'expiring sandboxes failed; retrying later')
      this.arm(this.#clock.now() + retryMs)
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
