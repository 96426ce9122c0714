import { randomBytes } from 'node:crypto'
import {
  type Egress,
  MachineError,
  type MachineHandle,
  type SnapshotHandle,
} from '@sandglass/machines/contract'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'
import { doomMachine, insertMachine, type MachineRow } from '../records/machines.ts'
import type { SavedDiskRow } from '../records/saved-disks.ts'
import type { MachineKeeper } from './keeper.ts'
import { noChoices, specOf } from './spec.ts'

/** A machine that works for an organization. Dispose of it when the work is over, and it is destroyed. */
export interface WorkMachine extends AsyncDisposable {
  readonly row: MachineRow & { readonly handle: MachineHandle }
  readonly machine: RunningMachine
}

export interface WorkOrder {
  readonly orgId: string
  readonly shape: CatalogueShape
  readonly egress: Egress
  /** Checks the quota, and returns the saved disk that the machine starts with, if any. */
  readonly admit: (tx: Tx) => Promise<Pick<SavedDiskRow, 'id' | 'handle'> | undefined>
  /** Called when the engine counts the machine, so that capacity need not be reserved for it any longer. */
  readonly onCounted: () => void
  /** Destroys the machine, whatever it is doing. */
  readonly signal: AbortSignal
}

/**
 * Creates machines in which the service works for an organization, such as building an image. They are no sandboxes: nobody can
 * list or use them, and they end with the work. A start of the service destroys those of the previous process, and a sweep those
 * whose end could not be recorded.
 */
export class WorkMachines {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #log: Logger

  constructor(db: Database, keeper: MachineKeeper, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#log = log
  }

  async start({ orgId, shape, egress, admit, onCounted, signal }: WorkOrder): Promise<WorkMachine> {
    const { row, disk } = await transact(this.#db, async tx => {
      const disk = await admit(tx)
      const id = `work-${randomBytes(6).toString('hex')}`
      const spec = this.#keeper.environment.seal({ ...specOf(shape, { ...noChoices, egress }), id })
      const row = await insertMachine(tx, {
        nodeId: this.#keeper.nodeId,
        engine: shape.engine,
        shapeName: shape.name,
        spec,
        diskId: disk?.id,
        orgId,
      })
      return { row, disk }
    })
    const end = () => void this.#end(row.id)
    signal.addEventListener('abort', end)
    try {
      const making = this.#make(row, disk?.handle ?? undefined)
      onCounted()
      if (signal.aborted) end()
      const machine = await making
      signal.throwIfAborted()
      return {
        row: { ...row, handle: machine.handle },
        machine,
        [Symbol.asyncDispose]: async () => {
          signal.removeEventListener('abort', end)
          await this.#end(row.id)
        },
      }
    } catch (error) {
      signal.removeEventListener('abort', end)
      await this.#end(row.id)
      signal.throwIfAborted()
      throw error
    }
  }

  /** Throws if the machine cannot be used. */
  async #make(row: MachineRow, disk: SnapshotHandle | undefined): Promise<RunningMachine> {
    let failure: unknown
    await this.#keeper.make(row, 'work', disk, error => {
      failure = error
    })
    const machine = this.#keeper.machine(row.id)
    if (machine) return machine
    throw failure instanceof MachineError
      ? failure
      : new MachineError('MACHINE_FAILED', 'The machine failed.')
  }

  /** If this cannot be recorded, nobody attends to the machine any more, so that a sweep finds it. */
  async #end(id: string): Promise<void> {
    try {
      await doomMachine(this.#db, id)
    } catch (error) {
      this.#log.warn({ machine: id, error }, 'the end of a machine could not be recorded; a sweep does it')
    }
    this.#keeper.unwatch(id)
    this.#keeper.destroyDoomedSoon()
  }
}
