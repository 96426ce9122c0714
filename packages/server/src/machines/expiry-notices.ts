import type { Logger } from 'pino'
import { Alarm } from '../db/alarm.ts'
import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { announceEnds, nextUnannounced } from '../records/expiry-notices.ts'

/**
 * The shortest time between two looks. A sandbox that is used renews its idle end every second, which is announced like its expiry,
 * and a look per announcement would cost more than a notice that comes a second late.
 */
const minIntervalMs = 1000

/** Announces that sandboxes expire soon. */
export class ExpiryNotices {
  readonly #db: Database
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #seconds: number
  readonly #log: Logger
  readonly #alarm: Alarm
  #ranAt = Number.NEGATIVE_INFINITY

  /** @param seconds how long before the end of a sandbox it is announced; 0 if it is not */
  constructor(db: Database, clock: Pick<DatabaseClock, 'now'>, seconds: number, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#seconds = seconds
    this.#log = log
    this.#alarm = new Alarm(clock, () => void this.run())
  }

  /** Sets the alarm for an end that was announced by the database. */
  arm(endMs: number): void {
    if (this.#seconds > 0)
      this.#alarm.set(Math.max(endMs - this.#seconds * 1000, this.#ranAt + minIntervalMs))
  }

  /** Announces the ends that are due and sets the alarm to the next one. Call it also when announcements may have been missed. */
  async run(): Promise<void> {
    if (this.#seconds === 0) return
    this.#alarm.reset()
    this.#ranAt = this.#clock.now()
    try {
      await announceEnds(this.#db, this.#seconds)
      const next = await nextUnannounced(this.#db)
      if (next) this.arm(next.getTime())
    } catch (error) {
      this.#log.warn({ error }, 'ends of sandboxes could not be announced; retrying later')
      this.arm(this.#clock.now())
    }
  }

  close(): void {
    this.#alarm.close()
  }
}
