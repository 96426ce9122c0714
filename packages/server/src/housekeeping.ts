import type { Logger } from 'pino'
import type { DatabaseClock } from './db/clock.ts'

/** Runs tasks periodically, without overlap. A task that fails is logged and runs again at its next interval. */
export class Housekeeping {
  readonly #timers: NodeJS.Timeout[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #log: Logger
  readonly #clock: Pick<DatabaseClock, 'isDoubted'>

  constructor(log: Logger, clock: Pick<DatabaseClock, 'isDoubted'>) {
    this.#log = log
    this.#clock = clock
  }

  /** Runs a task that deletes what is too old. It waits while it is doubtful how late it is. */
  forgetEvery(seconds: number, name: string, task: () => Promise<void>): void {
    this.every(seconds, name, async () => {
      if (!this.#clock.isDoubted) await task()
    })
  }

  /** The signal says that the service stops, which a long task must not hold up. */
  every(seconds: number, name: string, task: (signal: AbortSignal) => Promise<void>): void {
    let busy = false
    const run = async () => {
      if (busy) return
      busy = true
      await task(this.#stopping.signal).catch(error => this.#log.warn({ error }, `${name} failed`))
      busy = false
    }
    const timer = setInterval(() => {
      const running = run().finally(() => this.#running.delete(running))
      this.#running.add(running)
    }, seconds * 1000)
    timer.unref()
    this.#timers.push(timer)
  }

  async stop(): Promise<void> {
    this.#timers.forEach(clearInterval)
    this.#stopping.abort()
    await Promise.all(this.#running)
  }
}
