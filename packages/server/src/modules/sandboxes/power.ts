import type { Engine, MachineHandle } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { KeyedMutex } from '@sandglass/supervision'
import type { Database, Tx } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { type MachineRow, selectMachine } from '../../records/machines.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { markFailed, markPaused, markRestarting, markRunning } from '../../records/transitions.ts'
import { engineFailure } from './engine-failure.ts'
import { reconcilePower } from './reconcile-power.ts'

type MadeMachine = MachineRow & { readonly handle: MachineHandle }

/** Records a pause or a resume, both before it is attempted and after it is done. */
export interface PowerRecords {
  /** Resolves when the attempt is in the audit log. */
  readonly attempt: () => Promise<void>
  /** Runs work on the locked row of the sandbox, in one transaction with the audit entry. */
  readonly done: (work: (tx: Tx, sandbox: SandboxRow) => Promise<void>) => Promise<void>
}

/**
 * Restarts, pauses and resumes the machine of a sandbox, on the node that has it. The engine is never called inside a
 * transaction, because it may take seconds. A change that could not be recorded is undone, and after a crash the next
 * start undoes it.
 */
export class MachinePower {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  /** Allows one change per machine at a time. */
  readonly #mutex = new KeyedMutex()

  constructor(db: Database, keeper: MachineKeeper) {
    this.#db = db
    this.#keeper = keeper
  }

  /**
   * Marks the sandbox as PENDING in the caller's transaction. A restart that is already running does not prevent another.
   * Throws if the machine cannot be reached, and leaves the sandbox as it is.
   */
  async beginRestart(tx: Tx, sandbox: SandboxRow): Promise<void> {
    const machine = await this.#machineOf(sandbox, tx)
    const reason = this.#keeper.whyUnreachable(machine.id)
    if (reason !== undefined)
      throw new ApiError('sandbox.UNREACHABLE', { message: `${reason} Nothing was done.`, retryAfter: 1 })
    await markRestarting(tx, machine.id)
  }

  /**
   * If the machine turns out to be unreachable, the sandbox stays PENDING. It is restarted, or found running, once it
   * can be reached.
   */
  async restart(sandbox: SandboxRow): Promise<void> {
    const machine = await this.#machineOf(sandbox)
    await this.#mutex.run(machine.id, async () => {
      try {
        await this.#keeper.restart(machine, machine.handle, () =>
          transact(this.#db, tx => markRunning(tx, machine.id)),
        )
      } catch (cause) {
        const failure = engineFailure(cause)
        if (failure?.code === 'sandbox.UNREACHABLE') {
          this.#keeper.unreachable.add(machine.id, failure.message)
          throw failure
        }
        const reason = 'It could not be started again.'
        await transact(this.#db, tx => markFailed(tx, machine.id, reason))
        throw new ApiError('machine.FAILED', { message: reason, cause })
      }
    })
  }

  async pause(sandbox: SandboxRow, records: PowerRecords): Promise<void> {
    await this.#change(sandbox, records, {
      isDone: ({ paused }) => paused,
      require: ({ status }) => {
        if (status !== 'RUNNING')
          throw new ApiError('sandbox.STATE', {
            message: `The sandbox is ${status}; only a RUNNING sandbox can be paused.`,
          })
      },
      act: async (engine, { handle }) => {
        if (!engine.capabilities.pause)
          throw new ApiError('sandbox.STATE', { message: 'Machines of this shape cannot be paused.' })
        await records.attempt()
        await engine.pause(handle)
      },
      record: markPaused,
    })
  }

  async resume(sandbox: SandboxRow, records: PowerRecords): Promise<void> {
    await this.#change(sandbox, records, {
      isDone: ({ status }) => status === 'RUNNING',
      require: ({ status, paused }) => {
        if (!paused)
          throw new ApiError('sandbox.STATE', { message: `The sandbox is ${status} and not paused.` })
      },
      act: async (engine, machine) => {
        await records.attempt()
        await engine.resume(machine.handle)
        // A machine that was paused when the service started could not be opened then, so it is not watched yet.
        await this.#keeper.watch(machine)
      },
      record: markRunning,
    })
  }

  async #change(sandbox: SandboxRow, { done }: PowerRecords, change: PowerChange): Promise<void> {
    // Record the call even if there is nothing to do, so that the audit log is complete.
    if (change.isDone(sandbox)) return await done(async () => {})
    change.require(sandbox)
    const machine = await this.#machineOf(sandbox)
    await this.#mutex.run(machine.id, async () => {
      try {
        await change.act(this.#keeper.engineOf(machine), machine)
        await done(async (tx, locked) => {
          if (change.isDone(locked)) return
          change.require(locked)
          await change.record(tx, machine.id)
        })
      } catch (error) {
        void reconcilePower(this.#db, this.#keeper, machine.id)
        throw engineFailure(error) ?? error
      }
    })
  }

  async #machineOf(
    { machine_id: id, status }: SandboxRow,
    db: Database | Tx = this.#db,
  ): Promise<MadeMachine> {
    const machine = id === null ? undefined : await selectMachine(db, id)
    if (!machine?.handle)
      throw new ApiError('sandbox.STATE', {
        message: status === 'PENDING' ? 'Its machine is still being made.' : 'It has no machine.',
      })
    return { ...machine, handle: machine.handle }
  }
}

interface PowerChange {
  readonly isDone: (sandbox: SandboxRow) => boolean
  /**
   * Throws if the state of the sandbox does not allow the change. It is called before the change, and again when it is
   * recorded.
   */
  readonly require: (sandbox: SandboxRow) => void
  readonly act: (engine: Engine, machine: MadeMachine) => Promise<void>
  readonly record: (tx: Tx, machineId: string) => Promise<void>
}
