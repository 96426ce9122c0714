import type { Prepared } from './database.ts'

/** The time of the database in milliseconds since 1970. */
export const databaseTime = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'

export interface DatabaseTime {
  readonly ms: number
}

/**
 * What time it is for the database. Whatever several processes must agree on goes by this clock: ends of sandboxes and
 * tokens are times of the database, and the clock of a node may be hours off or jump. Between two answers of the database the
 * monotonic clock of this process counts on, which no one can set.
 */
export class DatabaseClock {
  /** The time of the database when the monotonic clock was at 0. */
  #originMs = 0
  /** The estimate is off by this much at most. */
  #errorMs = Number.POSITIVE_INFINITY

  readonly #monotonic: () => number

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  static async read(prepared: Prepared): Promise<DatabaseClock> {
    const clock = new DatabaseClock()
    const askedAt = performance.now()
    const [time] = await prepared<DatabaseTime>('time', databaseTime)
    if (time) clock.learn(time.ms, askedAt)
    return clock
  }

  /** Whole milliseconds since 1970, as `Date.now()` tells them. */
  readonly now = (): number => Math.floor(this.#monotonic() + this.#originMs)

  /** The database told its time in an answer that has just come, to a question that was sent at a monotonic time. */
  learn(databaseMs: number, askedAt: number): void {
    const answeredAt = this.#monotonic()
    const errorMs = (answeredAt - askedAt) / 2
    const originMs = databaseMs - (askedAt + answeredAt) / 2
    // A slow answer tells the time less exactly than a quick one did before, unless they contradict each other.
    const isAgreed = Math.abs(originMs - this.#originMs) <= errorMs + this.#errorMs
    if (isAgreed && errorMs > this.#errorMs) return
    this.#originMs = originMs
    this.#errorMs = errorMs
  }
}
