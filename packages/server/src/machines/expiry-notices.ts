import type { Logger } from 'pino'
import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { announceEnds, nextUnannounced } from '../records/expiry-notices.ts'

/** The max delay of the timer. When it fires early for a later end, it is armed again. */
const maxTimerMs = 3_600_000
/**
 * The shortest time between two looks. A sandbox that is used renews its idle end every second, which is announced like its expiry,
 * and a look per announcement would cost more than a notice that comes a second late.
 */
const minIntervalMs = 1000

/** Announces that sandboxes expire soon. Like the expirer, it waits by the database clock for the next time at which there is one. */
export class ExpiryNotices {
  readonly #db: Database
  readonly #clock: Pick<DatabaseClock, 'now'>
  readonly #seconds: number
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #ranAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  /** @param seconds how long before the end of a sandbox it is announced; 0 if it is not */
  constructor(db: Database, clock: Pick<DatabaseClock, 'now'>, seconds: number, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#seconds = seconds
    this.#log = log
  }

  /** Sets the timer for an end that was announced by the database, if it has to fire earlier than it would. */
  arm(endMs: number): void {
    const atMs = Math.max(endMs - this.#seconds * 1000, this.#ranAt + minIntervalMs)
    if (this.#isClosed || this.#seconds === 0 || atMs >= this.#armedFor) return
    clearTimeout(this.#timer)
    this.#armedFor = atMs
    const leftMs = Math.min(Math.max(0, atMs - this.#clock.now()), maxTimerMs)
    this.#timer = setTimeout(() => void this.run(), leftMs).unref()
  }

  /** Announces the ends that are due and sets the timer to the next one. Call it also when announcements may have been missed. */
  async run(): Promise<void> {
    if (this.#seconds === 0) return
    this.#armedFor = Number.POSITIVE_INFINITY
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
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}
