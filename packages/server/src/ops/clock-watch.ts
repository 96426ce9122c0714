import type { Logger } from 'pino'
import type { DatabaseClock } from '../db/clock.ts'

/** Reports once when the clock of the database jumps ahead, and once when it is believed again. */
export class ClockWatch {
  readonly #clock: Pick<DatabaseClock, 'isDoubted' | 'jumpedByMs'>
  readonly #log: Logger
  #isReported = false

  constructor(clock: Pick<DatabaseClock, 'isDoubted' | 'jumpedByMs'>, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  /** Why nothing ends or is deleted because of its age now, as a sentence for a person, or undefined. */
  problem(): string | undefined {
    if (!this.#clock.isDoubted) return undefined
    const minutes = Math.round(this.#clock.jumpedByMs / 60_000)
    return `The clock of the database has jumped ahead by ${minutes} minutes. Nothing expires because of that for ten minutes; set the clock right if it is wrong.`
  }

  async check(): Promise<void> {
    const problem = this.problem()
    if (problem !== undefined && !this.#isReported) this.#log.error(problem)
    if (problem === undefined && this.#isReported)
      this.#log.info('the clock of the database is believed again')
    this.#isReported = problem !== undefined
  }

  async degraded(): Promise<{ readonly check: string; readonly reason: string }[]> {
    const reason = this.problem()
    return reason === undefined ? [] : [{ check: 'clock', reason }]
  }
}
