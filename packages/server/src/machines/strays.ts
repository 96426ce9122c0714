import type { Engine, ListedMachine, MachineHandle } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { forgetMachine, type MachineRow, machinesOfNode, markMade } from '../records/machines.ts'
import { markRunning } from '../records/transitions.ts'
import { type Belonging, belongingOf } from './belonging.ts'
import type { MachineKeeper } from './keeper.ts'
import { selectLedger } from './ledger.ts'
import type { MachineMarks } from './machine-marks.ts'
import type { UnclaimedMachine, UnclaimedMachines } from './unclaimed.ts'

/** What became of the machines whose rows did not know them. */
export interface Settled {
  /** The rows that got their machine by it. */
  readonly adopted: readonly MachineRow[]
  /** Rows whose machine cannot be reached, so that it is not known whether it was made to the end. Leave them as they are. */
  readonly undecided: ReadonlySet<string>
}

/** Settles the machines of the engines that no row names, or whose row does not know them yet. */
export class Strays {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #leftAlone: MachineMarks
  readonly #unclaimed: UnclaimedMachines
  readonly #log: Logger

  constructor(
    db: Database,
    keeper: MachineKeeper,
    leftAlone: MachineMarks,
    unclaimed: UnclaimedMachines,
    log: Logger,
  ) {
    this.#db = db
    this.#keeper = keeper
    this.#leftAlone = leftAlone
    this.#unclaimed = unclaimed
    this.#log = log
  }

  /**
   * For a start: machines that this database has in the pool, though they were handed out, so it is older than that. They
   * leave the pool, because the next user would be given what the last one left in them.
   */
  async withdrawHandedOut(): Promise<void> {
    for (const { id, state } of await machinesOfNode(this.#db, this.#keeper.nodeId)) {
      if (state !== 'ready' || !this.#keeper.handedOut.has(id)) continue
      this.#leaveAlone(id)
      await forgetMachine(this.#db, id)
    }
  }

  async settle(engine: Engine): Promise<Settled> {
    const { nodeId } = this.#keeper
    const listed = await engine.list()
    const ledger = await selectLedger(this.#db, nodeId)
    const rows = await machinesOfNode(this.#db, nodeId)
    const rowOf = new Map(rows.filter(row => row.engine === engine.name).map(row => [row.id, row]))
    // A machine that this process watches and no row names was lost by the database while the service ran.
    const newer = { has: (id: string) => this.#leftAlone.has(id) || this.#keeper.machine(id) !== undefined }
    const unclaimed: UnclaimedMachine[] = []
    const unwanted: ListedMachine[] = []
    const adopted: MachineRow[] = []
    const undecided = new Set<string>()
    for (const machine of listed) {
      const row = rowOf.get(machine.id)
      const isUnfinished = row !== undefined && !row.handle
      // The row of a machine that is being made knows it a moment later; the row of one that was given up is gone by now.
      if (isUnfinished ? this.#keeper.isAttended(machine.id) : this.#keeper.isMaking(machine.id)) continue
      const belonging = isUnfinished
        ? await this.#finish(engine, machine, row)
        : belongingOf(machine, engine.scope, row !== undefined, ledger, newer)
      if (belonging === 'neighbour') continue
      if (belonging === 'undecided') undecided.add(machine.id)
      else if (belonging === 'forgotten') unwanted.push(machine)
      else if (belonging !== 'claimed') unclaimed.push({ ...machine, engine: engine.name, reason: belonging })
      else if (isUnfinished) adopted.push({ ...row, handle: machine.handle, state: 'claimed' })
      else this.#leftAlone.delete(machine.id)
    }
    for (const { id, reason } of unclaimed) if (reason === 'newer') this.#leaveAlone(id)
    this.#unclaimed.replace(engine.name, unclaimed)
    await Promise.all(unwanted.map(machine => this.#destroy(engine, machine)))
    return { adopted, undecided }
  }

  /** One that cannot be destroyed now is found again by the next sweep. */
  async #destroy(engine: Engine, { id, handle }: ListedMachine): Promise<void> {
    try {
      await engine.destroy(handle)
      this.#log.warn({ machine: id }, 'a incomplete or orphaned machine was destroyed')
    } catch (error) {
      this.#log.warn({ machine: id, error }, 'a incomplete or orphaned machine could not be destroyed yet')
    }
  }

  /**
   * A machine whose row does not know that it is there: the service ended while it was made, or the database is older.
   * Where it was made to the end, making it anew would cost its user what is in it.
   */
  async #finish(
    engine: Engine,
    { id, handle }: ListedMachine,
    { state }: MachineRow,
  ): Promise<Belonging | 'undecided'> {
    const { status } = await engine.inspect(handle)
    if (status === 'unreachable') return 'undecided'
    if (state !== 'starting' || status === 'creating' || status === 'missing') return 'forgotten'
    if (await this.#adopt(id, handle)) return 'claimed'
    return this.#keeper.handedOut.has(id) ? 'newer' : 'forgotten'
  }

  /** False where the machine is of no sandbox. */
  async #adopt(id: string, handle: MachineHandle): Promise<boolean> {
    return transact(this.#db, async tx => {
      const sandbox = await tx
        .selectFrom('sandboxes')
        .select('id')
        .where('machine_id', '=', id)
        .executeTakeFirst()
      if (!sandbox || !(await markMade(tx, id, handle, 'claimed'))) return false
      await markRunning(tx, id)
      return true
    })
  }

  #leaveAlone(id: string): void {
    if (this.#leftAlone.has(id)) return
    this.#leftAlone.add(id)
    this.#leftAlone.flush()
  }
}
