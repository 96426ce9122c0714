import { type Engine, MachineError, type SnapshotHandle } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { KeyedMutex } from '@sandglass/supervision'
import type { Database, Tx } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { gone } from '../../placement/gone.ts'
import { isOnNode } from '../../placement/is-on-node.ts'
import { type SandboxRow, selectById } from '../../records/sandboxes.ts'
import {
  markFailed,
  markHibernated,
  markPaused,
  markRestarting,
  markRunning,
} from '../../records/transitions.ts'
import { diskFailure, engineFailure } from './engine-failure.ts'
import { type MadeMachine, madeMachineOf } from './made-machine.ts'
import { reconcilePower } from './reconcile-power.ts'
import { LostReplacement, type Replacement } from './replace-lost.ts'

/** The Retry-After of a hibernated sandbox for which there is no capacity. */
const capacityRetrySeconds = 10
const takenOver = 'Another process of the service has taken the sandbox over meanwhile. Nothing was done.'

/** Records a pause or a resume, both before it is attempted and after it is done. */
export interface PowerRecords {
  /** Resolves when the attempt is in the audit log. */
  readonly attempt: () => Promise<void>
  /** Runs work on the locked row of the sandbox, in one transaction with the audit entry. */
  readonly done: (work: (tx: Tx, sandbox: SandboxRow) => Promise<void>) => Promise<void>
  /** Why the sandbox is put to sleep, as a sentence. It is left out if a caller asked for it. */
  readonly reason?: string
}

/**
 * Restarts, restores, pauses, resumes and hibernates the machine of a sandbox, on the node that has it. The engine is never called inside a
 * transaction, because it may take seconds. A change that could not be recorded is undone, and after a crash the next
 * start undoes it.
 */
export class MachinePower {
  /** Starts sandboxes elsewhere whose machines were lost with a member of their cluster. */
  readonly lost: LostReplacement
  readonly #db: Database
  readonly #keeper: MachineKeeper
  /** Allows one change per machine at a time. */
  readonly #mutex: KeyedMutex
  /** How long a paused or hibernated sandbox is kept that is to be paused when its time is up. */
  readonly #keepSeconds: number

  constructor(db: Database, keeper: MachineKeeper, mutex: KeyedMutex, keepSeconds: number) {
    this.lost = new LostReplacement(db, keeper)
    this.#db = db
    this.#keeper = keeper
    this.#mutex = mutex
    this.#keepSeconds = keepSeconds
  }

  /**
   * Marks the sandbox as PENDING in the caller's transaction. A restart that is already running does not prevent another.
   * Throws if the machine cannot be reached, or if another node has taken the sandbox over, and leaves the sandbox as it is.
   *
   * @param lost what {@link lost} has found before the transaction
   */
  async beginRestart(tx: Tx, sandbox: SandboxRow, lost?: Replacement): Promise<void> {
    if (!isOnNode(sandbox, this.#keeper.nodeId)) throw gone({ reason: takenOver })
    if (lost) return await this.lost.begin(tx, sandbox, lost)
    const machine = await madeMachineOf(tx, sandbox)
    this.#requireReachable(machine)
    await markRestarting(tx, machine.id)
  }

  /**
   * If the machine turns out to be unreachable, the sandbox stays PENDING. It is restarted, or found running, once it
   * can be reached.
   */
  async restart(sandbox: SandboxRow, lost?: Replacement): Promise<void> {
    if (lost) return await this.lost.carryOut(sandbox, lost)
    await this.#start(sandbox, 'It could not be started again.')
  }

  /** Starts a hibernated sandbox, which {@link beginRestart} has marked. Without capacity it stays hibernated. */
  async wake(sandbox: SandboxRow): Promise<void> {
    await this.#start(sandbox, 'It could not be started again.', {
      start: (engine, { handle }) => engine.wake?.(handle) ?? engine.restart(handle),
      onFailure: async (cause, { id }) => {
        if (!(cause instanceof MachineError) || cause.code !== 'NO_CAPACITY') return
        await transact(this.#db, tx => markHibernated(tx, id, { keepSeconds: this.#keepSeconds }))
        throw new ApiError('machine.NO_CAPACITY', {
          message: `${cause.message} The sandbox is still hibernated.`,
          retryAfter: capacityRetrySeconds,
          cause,
        })
      },
    })
  }

  /** Sets the disk of a sandbox, which {@link beginRestart} has marked, back to a snapshot, and starts it. */
  async restore(sandbox: SandboxRow, snapshot: SnapshotHandle): Promise<void> {
    await this.#start(sandbox, 'It could not be restored. Restart it, or restore it again.', {
      start: async (engine, { handle }) => {
        if (!engine.snapshots) throw new MachineError('INVALID', 'This engine saves no disks.')
        await engine.snapshots.restore(handle, snapshot)
      },
    })
  }

  async #start(sandbox: SandboxRow, failure: string, { start, onFailure }: StartOptions = {}): Promise<void> {
    const machine = await madeMachineOf(this.#db, sandbox)
    await this.#mutex.run(machine.id, async () => {
      try {
        await this.#keeper.restart(
          machine,
          machine.handle,
          () => transact(this.#db, tx => markRunning(tx, machine.id)),
          start && (engine => start(engine, machine)),
        )
      } catch (cause) {
        const unreachable = engineFailure(cause)
        if (unreachable?.code === 'sandbox.UNREACHABLE') {
          this.#keeper.unreachable.add(machine.id, unreachable.message)
          throw unreachable
        }
        await onFailure?.(cause, machine)
        await transact(this.#db, tx => markFailed(tx, machine.id, failure))
        throw diskFailure(cause) ?? new ApiError('machine.FAILED', { message: failure, cause })
      }
    })
  }

  #requireReachable({ id }: MadeMachine): void {
    const reason = this.#keeper.whyUnreachable(id)
    if (reason !== undefined)
      throw new ApiError('sandbox.UNREACHABLE', { message: `${reason} Nothing was done.`, retryAfter: 1 })
  }

  /**
   * Stops the machine of a running or paused sandbox and keeps its files. This is recorded first, because a machine that was
   * stopped cannot continue: after a crash, the next start stops a machine that is recorded as hibernated.
   */
  async hibernate(sandbox: SandboxRow, records: PowerRecords): Promise<void> {
    const machine = await madeMachineOf(this.#db, sandbox)
    await this.#mutex.run(machine.id, async () => {
      const engine = this.#keeper.engineOf(machine)
      const { stop } = engine
      if (!stop)
        throw new ApiError('sandbox.STATE', { message: 'Machines of this shape cannot be hibernated.' })
      this.#requireReachable(machine)
      await records.done(async (tx, { status, paused, hibernated }) => {
        if (hibernated) return
        if (status !== 'RUNNING' && !paused)
          throw new ApiError('sandbox.STATE', {
            message: `The sandbox is ${status}; only a RUNNING or paused sandbox can be hibernated.`,
          })
        await markHibernated(tx, machine.id, { keepSeconds: this.#keepSeconds, reason: records.reason })
      })
      this.#keeper.unwatch(machine.id)
      await stop.call(engine, machine.handle).catch(cause => this.#undoHibernation(engine, machine, cause))
    })
  }

  /** Records the state in which a machine is that could not be stopped. */
  async #undoHibernation(engine: Engine, machine: MadeMachine, cause: unknown): Promise<void> {
    const state = await engine.inspect(machine.handle).catch(() => undefined)
    if (state?.status === 'stopped') return
    if (state?.status === 'paused')
      await transact(this.#db, tx => markPaused(tx, machine.id, { keepSeconds: this.#keepSeconds }))
    else if (state?.status === 'running') {
      await transact(this.#db, tx => markRunning(tx, machine.id))
      await this.#keeper.watch(machine)
    } else void reconcilePower(this.#db, this.#keeper, machine.id)
    throw (
      engineFailure(cause) ?? new ApiError('machine.FAILED', { message: 'It could not be stopped.', cause })
    )
  }

  /** Pauses a sandbox, or hibernates it if its engine cannot pause machines. Returns false if it can do neither. */
  async sleep(sandbox: SandboxRow, records: PowerRecords): Promise<boolean> {
    const { capabilities, stop } = this.#keeper.engineOf(await madeMachineOf(this.#db, sandbox))
    if (capabilities.pause) await this.pause(sandbox, records)
    else if (stop) await this.hibernate(sandbox, records)
    else return false
    return true
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
      record: (tx, id) => markPaused(tx, id, { keepSeconds: this.#keepSeconds, reason: records.reason }),
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
    const machine = await madeMachineOf(this.#db, sandbox)
    await this.#mutex.run(machine.id, async () => {
      // Another call may have made the change since the row was read.
      const current = await selectById(this.#db, sandbox.id)
      if (current && change.isDone(current)) return await done(async () => {})
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
}

interface StartOptions {
  /** What starts the machine, instead of a restart. */
  readonly start?: (engine: Engine, machine: MadeMachine) => Promise<void>
  /** Called before a failure is recorded. It throws if it has recorded the failure itself. */
  readonly onFailure?: (cause: unknown, machine: MadeMachine) => Promise<void>
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
