import { MachineError } from '@sandglass/machines/contract'
import { Backoff, Pause } from '@sandglass/supervision'
import type { Database } from '../db/database.ts'
import { isWaitingForVolume } from '../records/volume-mounts.ts'
import type { MachineKeeper } from './keeper.ts'

/** How long a machine waits for the one that had its volume before. Destroying a machine takes less than a second. */
const maxWaitMs = 60_000

/** How often a machine that could not be destroyed is tried again while another one waits for its volume. */
const retry = { firstMs: 1000, maxMs: 5000 }

/**
 * Lets new machines wait until the machines that had their volumes before are destroyed. Machines with the same volume are on
 * the same node, so this process destroys them itself and need not ask the database when that is done.
 */
export class VolumeTurns {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #waiting = new Set<Pause>()

  constructor(db: Database, keeper: MachineKeeper) {
    this.#db = db
    this.#keeper = keeper
  }

  /** Call this when a machine that had volumes was destroyed and its row is gone. */
  freed(): void {
    for (const pause of this.#waiting) pause.end()
  }

  async wait(machineId: string, signal: AbortSignal): Promise<void> {
    const end = performance.now() + maxWaitMs
    const backoff = new Backoff(retry)
    for (;;) {
      backoff.failed()
      // Begun before the database is read, so that a machine which is destroyed meanwhile ends it.
      using pause = this.#pause(backoff.delayMs, signal)
      if (!(await isWaitingForVolume(this.#db, machineId))) return
      if (performance.now() > end)
        throw new MachineError('STATE', 'The machine that had the volume before cannot be destroyed yet.')
      this.#keeper.destroyDoomedSoon()
      await pause.over
      signal.throwIfAborted()
    }
  }

  #pause(ms: number, signal: AbortSignal): Pick<Pause, 'over'> & Disposable {
    const pause = new Pause(ms)
    this.#waiting.add(pause)
    signal.addEventListener('abort', pause.end)
    return {
      over: pause.over,
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', pause.end)
        this.#waiting.delete(pause)
        pause.end()
      },
    }
  }
}
