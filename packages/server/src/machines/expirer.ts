import type { Logger } from 'pino'
import { Alarm } from '../db/alarm.ts'
import { askTime, type DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { nextEnd } from '../records/due-sandboxes.ts'
import { endExpired } from '../records/end-sandbox.ts'

/** The delay before a retry after a failure, such as an unreachable database. */
const retryMs = 500
/** The delay before a retry if an expired sandbox could not be ended because another process holds a lock on its row. */
const lockedRetryMs = 200
/** The delay while the time of the database is doubted. */
const doubtedRetryMs = 5000

type Clock = Pick<DatabaseClock, 'now' | 'learn' | 'isDoubted'>

/** Ends sandboxes when they expire. Its alarm is set to the next end that any process has announced. */
export class Expirer {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #keepSeconds: number
  readonly #alarm: Alarm

  /** A sandbox that has stopped is kept for `keepSeconds` if it is to be paused when its time is up. */
  constructor(db: Database, clock: Clock, keepSeconds: number, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#keepSeconds = keepSeconds
    this.#log = log
    this.#alarm = new Alarm(clock, () => void this.run())
  }

  /** Sets the alarm to an announced end if it is earlier than the current one. */
  arm(endMs: number): void {
    this.#alarm.set(endMs)
  }

  /** Ends expired sandboxes and sets the alarm to the next end. Call it also when announcements may have been missed. */
  async run(): Promise<void> {
    this.#alarm.reset()
    try {
      await askTime(this.#db, this.#clock)
      if (this.#clock.isDoubted) {
        this.arm(this.#clock.now() + doubtedRetryMs)
        return
      }
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
    this.#alarm.close()
  }
}
