import type { MachineHandle } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Database, Tx } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { type MachineRow, selectMachine } from '../../machines/store.ts'
import type { SandboxRow } from './store.ts'
import { markFailed, markPaused, markRestarting, markRunning } from './transitions.ts'

type MadeMachine = MachineRow & { readonly handle: MachineHandle }

/** Restarts, pauses and resumes the machine of a sandbox, on the node that has it. */
export class MachinePower {
  readonly #db: Database
  readonly #keeper: MachineKeeper

  constructor(db: Database, keeper: MachineKeeper) {
    this.#db = db
    this.#keeper = keeper
  }

  /** Within the caller's transaction: it is PENDING from now on. A restart that is under way is no obstacle. */
  async beginRestart(tx: Tx, sandbox: SandboxRow): Promise<void> {
    const machine = await this.#machineOf(sandbox)
    await markRestarting(tx, machine.id)
  }

  async restart(sandbox: SandboxRow): Promise<void> {
    const machine = await this.#machineOf(sandbox)
    try {
      await this.#keeper.restart(machine, machine.handle, () =>
        transact(this.#db, tx => markRunning(tx, machine.id)),
      )
    } catch (cause) {
      const reason = 'It could not be started again.'
      await transact(this.#db, tx => markFailed(tx, machine.id, reason))
      throw new ApiError('machine.FAILED', { message: reason, cause })
    }
  }

  async pause(tx: Tx, sandbox: SandboxRow): Promise<void> {
    if (sandbox.paused) return
    if (sandbox.status !== 'RUNNING')
      throw new ApiError('sandbox.STATE', {
        message: `The sandbox is ${sandbox.status}; only a RUNNING sandbox can be paused.`,
      })
    const machine = await this.#machineOf(sandbox)
    const engine = this.#keeper.engineOf(machine)
    if (!engine.capabilities.pause)
      throw new ApiError('sandbox.STATE', { message: 'Machines of this shape cannot be paused.' })
    await engine.pause(machine.handle)
    await markPaused(tx, machine.id)
  }

  async resume(tx: Tx, sandbox: SandboxRow): Promise<void> {
    if (sandbox.status === 'RUNNING') return
    if (!sandbox.paused)
      throw new ApiError('sandbox.STATE', { message: `The sandbox is ${sandbox.status} and not paused.` })
    const machine = await this.#machineOf(sandbox)
    await this.#keeper.engineOf(machine).resume(machine.handle)
    await markRunning(tx, machine.id)
  }

  async #machineOf({ machine_id: id, status }: SandboxRow): Promise<MadeMachine> {
    const machine = id === null ? undefined : await selectMachine(this.#db, id)
    if (!machine?.handle)
      throw new ApiError('sandbox.STATE', {
        message: status === 'PENDING' ? 'Its machine is still being made.' : 'It has no machine.',
      })
    return { ...machine, handle: machine.handle }
  }
}
