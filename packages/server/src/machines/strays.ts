import type { Engine, ListedMachine, MachineHandle } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { forgetMachine, type MachineRow, machinesOfNode, markMade } from '../records/machines.ts'
import { idsElsewhere } from '../records/moved.ts'
import { lockOfMachine } from '../records/sandboxes.ts'
import { markRunning } from '../records/transitions.ts'
import { type Belonging, belongingOf } from './belonging.ts'
import { eachMachine } from './each-machine.ts'
import type { MachineKeeper } from './keeper.ts'
import { selectLedgers } from './ledger.ts'
import type { MachineMarks } from './machine-marks.ts'
import type { UnclaimedMachine, UnclaimedMachines } from './unclaimed.ts'

/** The result of settling machines that have no row, or whose row does not have their handle. */
export interface Settled {
  /** The rows whose machine was found and recorded. */
  readonly adopted: readonly MachineRow[]
  /** Machines that cannot be reached, so it is unknown whether their creation was completed. Leave their rows as they are. */
  readonly undecided: ReadonlySet<string>
}

/** Adopts, destroys or leaves alone the machines of an engine that have no row, or whose row does not have their handle yet. */
export class Strays {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #leftAlone: MachineMarks
  readonly #unclaimed: UnclaimedMachines
  readonly #log: Logger
  /** Those whose destruction is under way. */
  readonly #destroying = new Set<string>()

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
   * Removes machines from the pool that were already handed out. Call it at a start: if the database is older than that
   * handout, it still has them in the pool, and the next user would get the files of the last one.
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
    const ledgers = await selectLedgers(this.#db, nodeId, engine)
    const rows = await machinesOfNode(this.#db, nodeId)
    const rowOf = new Map(rows.filter(row => row.engine === engine.name).map(row => [row.id, row]))
    // If this process watches a machine that has no row, the database was replaced by an older one while the service ran.
    const newer = { has: (id: string) => this.#leftAlone.has(id) || this.#keeper.machine(id) !== undefined }
    const unclaimed: UnclaimedMachine[] = []
    const unwanted: ListedMachine[] = []
    const adopted: MachineRow[] = []
    const undecided = new Set<string>()
    for (const machine of listed) {
      const row = rowOf.get(machine.id)
      const isUnfinished = row !== undefined && !row.handle
      // Skip machines that this process is creating: their row gets its handle, or is deleted, a moment later.
      if (isUnfinished ? this.#keeper.isAttended(machine.id) : this.#keeper.isMaking(machine.id)) continue
      const belonging = isUnfinished
        ? await this.#finish(engine, machine, row)
        : belongingOf(machine, engine.scope, row !== undefined, ledgers.of(machine), newer)
      if (belonging === 'neighbour') continue
      if (belonging === 'undecided') undecided.add(machine.id)
      else if (belonging === 'forgotten') unwanted.push(machine)
      else if (belonging !== 'claimed') unclaimed.push({ ...machine, engine: engine.name, reason: belonging })
      else if (isUnfinished) adopted.push({ ...row, handle: machine.handle, state: 'claimed' })
      else this.#leftAlone.delete(machine.id)
    }
    // A machine that this node has made and another one has taken over belongs to that one.
    const moved = await idsElsewhere(
      this.#db,
      'machines',
      nodeId,
      [...unwanted, ...unclaimed].map(({ id }) => id),
    )
    const isLeft = ({ id }: ListedMachine) => !moved.has(id)
    const left = unclaimed.filter(isLeft)
    for (const { id, reason } of left) if (reason === 'newer') this.#leaveAlone(id)
    this.#unclaimed.replace(engine.name, left)
    const destroyed = this.#destroyAll(engine, unwanted.filter(isLeft))
    // A member of a cluster that is away keeps its machines for long, and must not delay those of the others.
    if (engine.scope !== 'shared') await destroyed
    return { adopted, undecided }
  }

  async #destroyAll(engine: Engine, machines: readonly ListedMachine[]): Promise<void> {
    const fresh = machines.filter(({ id }) => !this.#destroying.has(id))
    for (const { id } of fresh) this.#destroying.add(id)
    await this.#keeper.trackWork(
      eachMachine(fresh, machine =>
        this.#destroy(engine, machine).finally(() => this.#destroying.delete(machine.id)),
      ),
    )
  }

  /** Destroys a machine. If that fails, the next sweep finds it again. */
  async #destroy(engine: Engine, { id, handle }: ListedMachine): Promise<void> {
    try {
      await engine.destroy(handle)
      this.#log.warn({ machine: id }, 'an incomplete or orphaned machine was destroyed')
    } catch (error) {
      this.#log.warn({ machine: id, error }, 'an incomplete or orphaned machine could not be destroyed yet')
    }
  }

  /**
   * Decides about a machine whose row does not have its handle, because the service ended during its creation or the
   * database is older. A machine that was completed is adopted, because creating it again would lose its user's files.
   */
  async #finish(
    engine: Engine,
    { id, handle }: ListedMachine,
    { state }: MachineRow,
  ): Promise<Belonging | 'undecided'> {
    const { status } = await engine.inspect(handle)
    if (status === 'unreachable') return 'undecided'
    if (state !== 'starting' || status === 'creating' || status === 'missing') return 'forgotten'
    if (await this.#adopt(id, handle, status !== 'lost')) return 'claimed'
    return this.#keeper.handedOut.has(id) ? 'newer' : 'forgotten'
  }

  /** Returns false if the machine does not belong to a sandbox. The sandbox of a lost machine stays as it is until it is taken up. */
  async #adopt(id: string, handle: MachineHandle, isRunning: boolean): Promise<boolean> {
    return transact(this.#db, async tx => {
      const sandbox = await lockOfMachine(tx, id)
      if (!sandbox || !(await markMade(tx, id, handle, 'claimed'))) return false
      if (isRunning) await markRunning(tx, id)
      return true
    })
  }

  #leaveAlone(id: string): void {
    if (this.#leftAlone.has(id)) return
    this.#leftAlone.add(id)
    this.#leftAlone.flush()
  }
}
