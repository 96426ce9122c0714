import { sql } from 'kysely'
import type { Database, Prepared } from './database.ts'

/** Selects the time of the database in milliseconds since 1970. */
export const databaseTime = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms'

export interface DatabaseTime {
  readonly ms: number
}

/**
 * Asks the database for its time. It decides by its own clock what has expired, so what was learned of it earlier says nothing about
 * whether it has jumped since.
 */
export async function askTime(db: Database, clock: Pick<DatabaseClock, 'learn'>): Promise<void> {
  const askedAt = performance.now()
  const { rows } = await sql.raw<DatabaseTime>(databaseTime).execute(db)
  if (rows[0]) clock.learn(rows[0].ms, askedAt)
}

/** The clock of a database that is merely corrected moves by less than this. */
const jumpMs = 60_000
/** How long somebody, or a time server, has to set a clock right that has jumped ahead. */
const doubtedForMs = 600_000

/** A jump ahead of the clock of the database. */
interface Jump {
  /** The time of the database when the monotonic clock was at 0, as it was before. */
  readonly originMs: number
  /** The monotonic time until which the new time is doubted. */
  readonly untilMs: number
}

/**
 * The time of the database. Everything that several processes must agree on uses this clock: the ends of sandboxes
 * and tokens are times of the database, while the clock of a node may be hours off or jump. Between two responses of
 * the database, the time advances with the monotonic clock of this process, which nobody can set.
 *
 * If the clock of the database itself jumps ahead, everything seems to have expired. The new time is believed only after a while,
 * and until then {@link isDoubted} says not to end or delete anything because of it.
 */
export class DatabaseClock {
  /** The time of the database when the monotonic clock was at 0. */
  #originMs = 0
  /** The maximum error of the estimate. */
  #errorMs = Number.POSITIVE_INFINITY
  #jump: Jump | undefined

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

  /** Whether the clock of the database has jumped ahead lately, and may yet be set right. */
  get isDoubted(): boolean {
    return this.#jump !== undefined && this.#monotonic() < this.#jump.untilMs
  }

  /** By how many milliseconds it is ahead of where it was before it jumped. */
  get jumpedByMs(): number {
    return this.isDoubted && this.#jump ? this.#originMs - this.#jump.originMs : 0
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
    this.#noteJump(originMs)
    this.#originMs = originMs
    this.#errorMs = errorMs
  }

  #noteJump(originMs: number): void {
    // Nothing is known before the first response.
    if (this.#errorMs === Number.POSITIVE_INFINITY) return
    const before = this.isDoubted && this.#jump ? this.#jump.originMs : this.#originMs
    if (originMs - before <= jumpMs) this.#jump = undefined
    else if (originMs - this.#originMs > jumpMs)
      this.#jump = { originMs: before, untilMs: this.#monotonic() + doubtedForMs }
  }
}
