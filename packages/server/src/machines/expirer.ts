import type { Logger } from 'pino'
import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { nextEnd } from '../records/due-sandboxes.ts'
import { endExpired } from '../records/end-sandbox.ts'

/** The max delay of the timer. When it fires early for a later end, it is armed again. */
const maxTimerMs = 3_600_000
/** The delay before a retry after a failure, such as an unreachable database. */
const retryMs = 500
/** The delay before a retry if an expired sandbox could not be ended because another process holds a lock on its row. */
const lockedRetryMs = 200
/** A timer may fire slightly early, and the database clock is known only to within a few milliseconds. */
const clockToleranceMs = 5

/**
 * Ends sandboxes when they expire. It has one timer, which is set to the next end that any process has announced. Ends are
 * database times, so it waits by the database clock: a node whose own clock is ahead would otherwise see every sandbox as
 * expired.
 */
export class Expirer {
  readonly #db: Database
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #log: Logger
  readonly #keepSeconds: number
  #timer: NodeJS.Timeout | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #closed = false

  /** A sandbox that has stopped is kept for `keepSeconds` if it is to be paused when its time is up. */
  constructor(db: Database, clock: Pick<DatabaseClock, 'now'>, keepSeconds: number, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#keepSeconds = keepSeconds
    this.#log = log
  }

  /** Sets the timer to an announced end if it is earlier than the current one. */
  arm(endMs: number): void {
    if (this.#closed || endMs >= this.#armedFor) return
    clearTimeout(this.#timer)
    this.#armedFor = endMs
    const leftMs = endMs + clockToleranceMs - this.#clock.now()
    this.#timer = setTimeout(() => void this.run(), Math.min(Math.max(0, leftMs), maxTimerMs))
  }

  /** Ends expired sandboxes and sets the timer to the next end. Call it also when announcements may have been missed. */
  async run(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY
    try {
      await endExpired(this.#db, this.#keepSeconds)
      const next = await nextEnd(this.#db)
      if (!next) return
      const now = this.#clock.now()
      this.arm(next.getTime() > now ? next.getTime() : now + lockedRetryMs)
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
