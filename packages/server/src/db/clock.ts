import type { Prepared } from './database.ts'

/** Selects the time of the database in milliseconds since 1970. */
export const databaseTime = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'

export interface DatabaseTime {
  readonly ms: number
}

/**
 * The time of the database. Everything that several processes must agree on uses this clock: the ends of sandboxes
 * and tokens are times of the database, while the clock of a node may be hours off or jump. Between two responses of
 * the database, the time advances with the monotonic clock of this process, which nobody can set.
 */
export class DatabaseClock {
  /** The time of the database when the monotonic clock was at 0. */
  #originMs = 0
  /** The maximum error of the estimate. */
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

  /** Returns whole milliseconds since 1970, like `Date.now()`. */
  readonly now = (): number => Math.floor(this.#monotonic() + this.#originMs)

  /** Takes in a time that the database has just sent. `askedAt` is the monotonic time at which the query was sent. */
  learn(databaseMs: number, askedAt: number): void {
    const answeredAt = this.#monotonic()
    const errorMs = (answeredAt - askedAt) / 2
    const originMs = databaseMs - (askedAt + answeredAt) / 2
    // A slow response is less exact than an earlier fast one, so it is ignored unless the two contradict each other.
    const isAgreed = Math.abs(originMs - this.#originMs) <= errorMs + this.#errorMs
    if (isAgreed && errorMs > this.#errorMs) return
    this.#originMs = originMs
    this.#errorMs = errorMs
  }
}
