import { MachineError } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { forgetMachine, type MachineRow, machinesOfNode } from '../records/machines.ts'
import { type Engines, engineOf } from './engines.ts'
import type { MachineMarks } from './machine-marks.ts'
import type { WatchedMachines } from './watched-machines.ts'

export interface DestructionParts {
  readonly db: Database
  readonly nodeId: string
  readonly engines: Engines
  readonly handedOut: MachineMarks
  /** The ids of machines that were lost with a member of their cluster. */
  readonly lost: Set<string>
  readonly watched: WatchedMachines
  /** Machines that are being created, each with the controller that aborts its creation. */
  readonly making: ReadonlyMap<string, AbortController>
  /** Called when a machine that had volumes was destroyed. */
  readonly onVolumesFreed: () => void
  readonly log: Logger
}

/** Destroys the machines of this node, and deletes their rows afterwards. */
export class Destruction {
  readonly #parts: DestructionParts
  readonly #destroying = new Map<string, Promise<void>>()

  constructor(parts: DestructionParts) {
    this.#parts = parts
  }

  /** Whether the machine is being destroyed. */
  has(id: string): boolean {
    return this.#destroying.has(id)
  }

  /** Returns the doomed machines of this node. Machines of an engine that is down are left out until it is open. */
  async doomed(): Promise<MachineRow[]> {
    const { db, nodeId, engines } = this.#parts
    const rows = await machinesOfNode(db, nodeId)
    return rows.filter(({ state, engine, handle }) => state === 'doomed' && (!handle || engines.get(engine)))
  }

  /** Destroys a machine and then deletes its row. Concurrent calls for one machine share one destruction. */
  destroy(row: MachineRow): Promise<void> {
    const current = this.#destroying.get(row.id)
    if (current) return current
    const destroying = this.destroyNow(row).finally(() => this.#destroying.delete(row.id))
    this.#destroying.set(row.id, destroying)
    return destroying
  }

  /** As {@link destroy}, but shares no destruction that was begun without the handle and removes nothing. */
  async destroyNow(row: MachineRow): Promise<void> {
    const { db, engines, handedOut, lost, watched, log } = this.#parts
    const making = this.#parts.making.get(row.id)
    watched.drop(row.id)
    if (making && !row.handle) return making.abort()
    try {
      if (row.handle) await engineOf(engines, row.engine).destroy(row.handle)
      handedOut.delete(row.id)
      lost.delete(row.id)
      await forgetMachine(db, row.id)
      if (row.spec.volumes) this.#parts.onVolumesFreed()
    } catch (error) {
      // A machine of a lost member cannot be destroyed until the member is back, which is no fault of the service.
      const level = error instanceof MachineError && error.code === 'UNREACHABLE' ? 'warn' : 'error'
      log[level]({ machine: row.id, error }, 'a machine could not be destroyed; retrying later')
    }
  }
}
