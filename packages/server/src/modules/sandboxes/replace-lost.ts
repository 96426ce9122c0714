import { type Engine, MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import { capacityOf } from '../../machines/engine-capacity.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { newMachineId } from '../../machines/spec.ts'
import { doomMachine, insertMachine } from '../../records/machines.ts'
import { lockById, type SandboxRow, selectById } from '../../records/sandboxes.ts'
import { lockReadyDisk } from '../../records/saved-disks.ts'
import { type SavedStart, selectSavedStarts } from '../../records/saved-starts.ts'
import { markRestarting, setReason } from '../../records/transitions.ts'
import { diskFailure } from './engine-failure.ts'
import { type MadeMachine, madeMachineOf } from './made-machine.ts'

/** What a sandbox starts with whose machine was lost with a member of its cluster. */
export interface Replacement {
  /** The machine that was lost. */
  readonly machine: MadeMachine
  readonly diskId: string
  /** Says what was kept, as a sentence. */
  readonly kept: string
}

/**
 * Starts a sandbox whose machine was lost on another member, with its newest snapshot or the image that it was created from. The lost
 * machine is doomed in the same transaction, so it is destroyed when its member returns and the sandbox never runs twice.
 */
export class LostReplacement {
  readonly #db: Database
  readonly #keeper: MachineKeeper

  constructor(db: Database, keeper: MachineKeeper) {
    this.#db = db
    this.#keeper = keeper
  }

  /**
   * Returns undefined if the machine is not lost. Throws a 409 if there is nothing from which the sandbox could be started elsewhere, and
   * a 503 if the cluster does not say what it has.
   */
  async find(sandbox: SandboxRow): Promise<Replacement | undefined> {
    try {
      return await this.#find(sandbox)
    } catch (cause) {
      throw troubleOf(cause)
    }
  }

  async #find(sandbox: SandboxRow): Promise<Replacement | undefined> {
    const machine = await madeMachineOf(this.#db, sandbox)
    const engine = this.#keeper.engines.get(machine.engine)
    if (!engine?.members) return undefined
    const { status, reason = 'The member that has the machine is gone.' } = await engine.inspect(
      machine.handle,
    )
    if (status !== 'lost') return undefined
    if (machine.spec.volumes)
      throw refused(reason, 'The sandbox has volumes, so it cannot be started elsewhere.')
    const { start, obstacle } = await this.#choose(engine, machine, sandbox)
    if (!start)
      throw refused(
        reason,
        obstacle ?? 'The sandbox has no snapshot, and was not created from an image of yours.',
      )
    const { free, reason: full } = await capacityOf(engine, machine.spec)
    if (free === 0) throw new ApiError('machine.NO_CAPACITY', { message: full, retryAfter: 10 })
    const kept = `${reason} It was started on another member from ${start.name}; what was written since then is not in it.`
    return { machine, diskId: start.disk.id, kept }
  }

  /** Returns the newest disk that the engine can use now, or why it can use none. */
  async #choose(
    { snapshots }: Engine,
    machine: MadeMachine,
    sandbox: SandboxRow,
  ): Promise<{ readonly start?: SavedStart; readonly obstacle?: string | undefined }> {
    const obstacles: string[] = []
    for (const start of await selectSavedStarts(this.#db, sandbox.id, machine)) {
      const obstacle = await snapshots?.obstacle?.(start.disk.handle)
      if (obstacle === undefined) return { start }
      obstacles.push(`It could be started from ${start.name}, but that cannot be used now: ${obstacle}`)
    }
    return { obstacle: obstacles[0] }
  }

  /** Gives a locked sandbox a new machine in the caller's transaction, and marks it as PENDING. */
  async begin(tx: Tx, sandbox: SandboxRow, { machine: lost, diskId, kept }: Replacement): Promise<void> {
    const { environment, nodeId } = this.#keeper
    // Another call may have replaced it meanwhile, and is making the new machine.
    if (sandbox.machine_id !== lost.id) return
    const disk = await lockReadyDisk(tx, diskId)
    if (!disk)
      throw new ApiError('sandbox.STATE', { message: 'Its snapshot or image was deleted meanwhile.' })
    const { place: _, ...spec } = lost.spec
    const machine = await insertMachine(tx, {
      nodeId,
      engine: lost.engine,
      shapeName: lost.shape_name,
      spec: environment.renew(spec, newMachineId()),
      diskId,
    })
    await doomMachine(tx, lost.id)
    await tx.updateTable('sandboxes').set({ machine_id: machine.id }).where('id', '=', sandbox.id).execute()
    await markRestarting(tx, machine.id, kept)
  }

  /** Call this after the commit. It settles when the new machine runs, and throws if it could not be created. */
  async carryOut({ id }: SandboxRow, { machine: lost, kept }: Replacement): Promise<void> {
    this.#keeper.unwatch(lost.id)
    const sandbox = await selectById(this.#db, id)
    const machineId = sandbox?.machine_id ?? ''
    const row = sandbox && (await this.#starting(machineId))
    if (row) await this.#keeper.make(row, 'sandbox')
    else await this.#keeper.arrival(machineId)
    const now = await selectById(this.#db, id)
    if (now?.status === 'ERROR')
      throw new ApiError('machine.FAILED', { message: now.reason ?? 'It could not be started again.' })
    await transact(this.#db, async tx => {
      const locked = await lockById(tx, id)
      if (locked?.status === 'RUNNING' && locked.reason === null) await setReason(tx, id, kept)
    })
  }

  /** Returns the row of a machine that nobody creates yet. One that another node has taken over is created there. */
  async #starting(id: string) {
    if (this.#keeper.isAttended(id)) return undefined
    return this.#db
      .selectFrom('machines')
      .selectAll()
      .where('id', '=', id)
      .where('node_id', '=', this.#keeper.nodeId)
      .where('state', '=', 'starting')
      .executeTakeFirst()
  }
}

/** Nothing was done yet, so the caller can retry whatever the trouble of the cluster is. */
function troubleOf(cause: unknown): unknown {
  if (!(cause instanceof MachineError)) return cause
  return (
    diskFailure(cause) ??
    new ApiError('sandbox.UNREACHABLE', { message: cause.message, retryAfter: 1, cause })
  )
}

function refused(reason: string, why: string): ApiError {
  return new ApiError('sandbox.STATE', {
    message: `${reason} ${why} It can be restarted when the member is back.`,
  })
}
