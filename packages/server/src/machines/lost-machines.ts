import type { Engine } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { type MachineRow, machinesOfNode } from '../records/machines.ts'
import { eachMachine } from './each-machine.ts'
import type { MachineKeeper } from './keeper.ts'
import type { Reconciler } from './reconcile.ts'

/**
 * Finds the machines of this node that were lost with a member of their cluster, and those whose member is back. It only asks the
 * engine about machines whose member has changed, so it costs nothing while all members are online.
 */
export class LostMachines {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #reconciler: Reconciler
  readonly #log: Logger

  constructor(db: Database, keeper: MachineKeeper, reconciler: Reconciler, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#reconciler = reconciler
    this.#log = log
  }

  /** An engine that fails is asked again by the next call. */
  async look(engines: readonly Engine[]): Promise<void> {
    for (const engine of engines)
      await this.#look(engine).catch(error =>
        this.#log.warn({ engine: engine.name, error }, 'the members of a cluster were not checked'),
      )
  }

  async #look(engine: Engine): Promise<void> {
    if (!engine.members) return
    const members = await engine.members()
    const gone = new Set(members.filter(({ status }) => status === 'offline').map(({ name }) => name))
    const { lost } = this.#keeper
    if (gone.size === 0 && lost.size === 0) return
    const memberOf = new Map((await engine.list()).map(({ id, member }) => [id, member ?? '']))
    const rows = (await machinesOfNode(this.#db, this.#keeper.nodeId)).filter(
      row => row.engine === engine.name && row.handle,
    )
    const isGone = ({ id }: MachineRow) => gone.has(memberOf.get(id) ?? '')
    const changed = rows.filter(row => isGone(row) !== lost.has(row.id))
    await eachMachine(changed, row => this.#settle(row, isGone(row)))
    if (changed.some(row => row.state === 'doomed' && !isGone(row))) this.#keeper.destroyDoomedSoon()
  }

  async #settle(row: MachineRow, isGone: boolean): Promise<void> {
    const { lost } = this.#keeper
    if (!(await this.#isSettled(row, isGone))) return
    if (isGone) lost.add(row.id)
    else lost.delete(row.id)
  }

  /** Returns false if the engine does not agree yet that the machine is lost, or back, so that it is asked again. */
  async #isSettled(row: MachineRow, isGone: boolean): Promise<boolean> {
    if (row.state === 'doomed') return true
    try {
      const status = await this.#reconciler.lookAt(row)
      return isGone ? status === 'lost' : !['lost', 'unreachable', undefined].includes(status)
    } catch (error) {
      this.#log.warn({ machine: row.id, error }, 'a machine of a lost member was not checked')
      return false
    }
  }
}
