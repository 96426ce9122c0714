import type { Logger } from 'pino'

/** Runs a chore again and again, one at a time; a chore that fails is logged and tried again next time. */
export class Housekeeping {
  readonly #timers: NodeJS.Timeout[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  every(seconds: number, name: string, chore: () => Promise<void>): void {
    let busy = false
    const run = async () => {
      if (busy) return
      busy = true
      await chore().catch(error => this.#log.warn({ error }, `${name} failed`))
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
    await Promise.all(this.#running)
  }
}
