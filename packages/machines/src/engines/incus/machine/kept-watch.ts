import { setTimeout as pause } from 'node:timers/promises'
import { Backoff, type Failure } from '@sandglass/supervision'
import type { ComponentRestart } from '../../../contract/health.ts'
import type { Death } from '../../../contract/machine.ts'
import { type Watch, watchMachine } from '../../local/guest/watch.ts'
import type { MuxGuest } from './mux-guest.ts'

const longestPauseMs = 2000
/** A machine that is reached again within this has no problem that anybody would notice. Finding out what it has may take much longer. */
const graceMs = 3000

/**
 * Watches process 1 of a machine over connections that may be lost. A machine that cannot be reached has not ended: it is
 * watched again once it can be.
 */
export class KeptWatch implements Watch {
  readonly #guest: MuxGuest
  readonly #death = Promise.withResolvers<Death>()
  readonly died = this.#death.promise
  onRestart: (restart: ComponentRestart) => void = () => {}
  /** Called with the reason when the machine cannot be reached, and with undefined when it can be again. */
  onReach: (failure: Failure | undefined) => void = () => {}
  #current: Watch
  #isClosed = false
  #grace: NodeJS.Timeout | undefined

  private constructor(guest: MuxGuest, first: Watch) {
    this.#guest = guest
    this.#current = first
    guest.onLost = reason => this.#lost(reason)
    void this.#keep()
  }

  static async open(guest: MuxGuest): Promise<KeptWatch> {
    return new KeptWatch(guest, await watchMachine(guest))
  }

  close(): void {
    this.#isClosed = true
    this.#isFound()
    this.#current.close()
    this.#guest.close()
  }

  #lost(reason: Error): void {
    const since = new Date()
    this.#grace ??= setTimeout(() => this.onReach({ reason, since, attempts: 0 }), graceMs).unref()
  }

  /** It is reached, or known to have ended. */
  #isFound(): void {
    clearTimeout(this.#grace)
    this.#grace = undefined
  }

  async #keep(): Promise<void> {
    while (!this.#isClosed) {
      this.#current.onRestart = restart => this.onRestart(restart)
      const death = await this.#current.died
      if (death.cause !== 'engine-lost') this.#isFound()
      if (this.#isClosed) return
      // Nothing but the lost connection says that it has ended: it may run.
      if (death.cause !== 'engine-lost') return this.#death.resolve(death)
      const next = await this.#again()
      if (!next) return
      this.#current = next
    }
  }

  async #again(): Promise<Watch | undefined> {
    const backoff = new Backoff({ maxMs: longestPauseMs })
    const since = new Date()
    let attempts = 0
    while (!this.#isClosed)
      try {
        const watch = await watchMachine(this.#guest)
        this.#isFound()
        this.onReach(undefined)
        return watch
      } catch (reason) {
        if (await this.#guest.hasEnded()) {
          this.#isFound()
          this.#death.resolve({ reason: 'the first process of the machine ended', orderly: false })
          return undefined
        }
        this.onReach({ reason, since, attempts: ++attempts })
        backoff.failed()
        await pause(backoff.delayMs, undefined, { ref: false })
      }
    return undefined
  }
}
