import type { Engine } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { type MachineRow, machinesOfNode } from '../records/machines.ts'
import { eachMachine } from './each-machine.ts'
import type { MachineKeeper } from './keeper.ts'
import type { Reconciler } from './reconcile.ts'
import { RepeatedWork } from './repeated-work.ts'
import { TrackedWork } from './tracked-work.ts'

/**
 * Finds the machines of this node that were lost with a member of their cluster, and those whose member is back. It only asks the
 * engine about machines whose member has changed, so it costs nothing while all members are online.
 */
export class LostMachines {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #reconciler: Reconciler
  readonly #engines: () => readonly Engine[]
  readonly #log: Logger
  readonly #looking = new RepeatedWork(() => this.#lookAtAll())
  /** The machines whose member is back, as long as they are stopped, restarted or destroyed, which may take minutes. */
  readonly #returning = new Set<string>()
  readonly #work = new TrackedWork()

  constructor(
    db: Database,
    keeper: MachineKeeper,
    reconciler: Reconciler,
    engines: () => readonly Engine[],
    log: Logger,
  ) {
    this.#db = db
    this.#keeper = keeper
    this.#reconciler = reconciler
    this.#engines = engines
    this.#log = log
  }

  /** Looks in the background. An engine that fails is asked again by the next call. */
  look(): void {
    this.#looking.request()
  }

  /** Waits until what was found has been recorded. */
  async close(): Promise<void> {
    await this.#looking.settled()
    await this.#work.settled()
  }

  async #lookAtAll(): Promise<boolean> {
    for (const engine of this.#engines())
      await this.#look(engine).catch(error =>
        this.#log.warn({ engine: engine.name, error }, 'the members of a cluster were not checked'),
      )
    return false
  }

  async #look(engine: Engine): Promise<void> {
    if (!engine.members) return
    const members = await engine.members()
    const gone = new Set(members.filter(({ status }) => status === 'offline').map(({ name }) => name))
    const { lost } = this.#keeper
    if (gone.size === 0 && lost.size === 0) return
    const memberOf = await membersOf(engine)
    const rows = (await machinesOfNode(this.#db, this.#keeper.nodeId)).filter(
      row => row.engine === engine.name && row.handle,
    )
    const isGone = (row: MachineRow) => gone.has(memberOf(row) ?? '')
    const changed = rows.filter(row => isGone(row) !== lost.has(row.id))
    for (const row of changed) if (!isGone(row)) this.#takeBack(row)
    // A loss is reported even if machines of another member that is back need minutes.
    await eachMachine(changed.filter(isGone), async row => {
      if (row.state === 'doomed' || (await this.#statusOf(row)) === 'lost') lost.add(row.id)
    })
    if (changed.some(row => row.state === 'doomed' && !isGone(row))) this.#keeper.destroyDoomedSoon()
  }

  /** If the engine does not agree yet that the machine is back, it is asked again. */
  #takeBack(row: MachineRow): void {
    if (this.#returning.has(row.id)) return
    this.#returning.add(row.id)
    const work = async () => {
      const status = row.state === 'doomed' ? 'stopped' : await this.#statusOf(row)
      if (status !== undefined && status !== 'lost' && status !== 'unreachable')
        this.#keeper.lost.delete(row.id)
      this.#returning.delete(row.id)
    }
    void this.#work.track(work())
  }

  /** Returns undefined if the engine did not say, or if the machine is just being changed. */
  async #statusOf(row: MachineRow) {
    try {
      return await this.#reconciler.lookAt(row)
    } catch (error) {
      this.#log.warn({ machine: row.id, error }, 'a machine of a lost member was not checked')
      return undefined
    }
  }
}

/** Returns what says which member has a machine. A cluster that cannot list its machines may still know where they were last. */
async function membersOf(engine: Engine): Promise<(row: MachineRow) => string | undefined> {
  try {
    const members = new Map((await engine.list()).map(({ id, member }) => [id, member]))
    return ({ id }) => members.get(id)
  } catch (error) {
    if (!engine.memberOf) throw error
    return ({ handle }) => (handle ? engine.memberOf?.(handle) : undefined)
  }
}
