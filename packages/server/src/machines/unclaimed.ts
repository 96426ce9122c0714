import type { ListedMachine } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { UnclaimedReason } from './belonging.ts'

/** A machine that has no row and is left alone. */
export interface UnclaimedMachine extends ListedMachine {
  readonly engine: string
  readonly reason: UnclaimedReason
}

/** The machines that are left alone. Each is logged only when it is first found, and not at every sweep. */
export class UnclaimedMachines {
  readonly #log: Logger
  readonly #byEngine = new Map<string, readonly UnclaimedMachine[]>()

  constructor(log: Logger) {
    this.#log = log
  }

  get all(): readonly UnclaimedMachine[] {
    return [...this.#byEngine.values()].flat()
  }

  /** Replaces the machines that were found earlier on one engine. */
  replace(engine: string, machines: readonly UnclaimedMachine[]): void {
    const known = new Set(this.#byEngine.get(engine)?.map(({ id }) => id))
    this.#byEngine.set(engine, machines)
    for (const { id, reason, owner } of machines)
      if (!known.has(id))
        this.#log.warn(
          { machine: id, engine, reason, owner },
          'a machine that is not in the database is left alone',
        )
  }
}
