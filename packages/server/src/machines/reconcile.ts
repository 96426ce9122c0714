import type { MachineHandle } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { markDead, markRunning } from '../modules/sandboxes/transitions.ts'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'
import type { MachineKeeper } from './keeper.ts'
import { doomMachine, type MachineRow, machinesOfNode } from './store.ts'
import type { Strays } from './strays.ts'

/** Brings the rows of this node and the machines of its engines to agree, both ways. */
export class Reconciler {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #strays: Strays
  readonly #engineNames: readonly string[]
  readonly #log: Logger
  /** Those that nobody attended to at the last sweep. */
  #unattended: ReadonlySet<string> = new Set()

  constructor(
    db: Database,
    keeper: MachineKeeper,
    strays: Strays,
    shapes: readonly CatalogueShape[],
    log: Logger,
  ) {
    this.#db = db
    this.#keeper = keeper
    this.#strays = strays
    this.#engineNames = [...new Set(shapes.map(({ engine }) => engine))]
    this.#log = log
  }

  /** After a start: takes up every machine where the process before this one left it. */
  async takeUp(): Promise<void> {
    await this.#strays.withdrawHandedOut()
    await this.#settleStrays()
    const rows = await machinesOfNode(this.#db, this.#keeper.nodeId)
    // Also those that were claimed just before the process before this one ended, which had no time to mark them.
    for (const { id, state } of rows) if (state === 'claimed') this.#keeper.handedOut.add(id)
    await Promise.all(
      rows
        .filter(({ state, engine }) => state !== 'doomed' && this.#keeper.engines.get(engine))
        .map(row =>
          this.#takeUpOne(row).catch(error =>
            this.#log.error({ machine: row.id, error }, 'a machine could not be adopted'),
          ),
        ),
    )
    await this.#keeper.destroyDoomed()
  }

  async #takeUpOne(row: MachineRow): Promise<void> {
    const sandbox = await this.#sandboxOf(row)
    if (!sandbox) return row.state === 'ready' ? this.#takeUpPooled(row) : doomMachine(this.#db, row.id)
    // Its create was answered with PENDING, and what was half-made is gone by now: make it anew.
    if (row.state === 'starting' || !row.handle) return void this.#keeper.make(row, 'sandbox')
    const { status } = await this.#keeper.engineOf(row).inspect(row.handle)
    const isUp = status === 'running' || status === 'paused'
    if (sandbox.status === 'PENDING') return this.#finishRestart(row, row.handle, isUp)
    if (isUp) return this.#keeper.watch({ ...row, handle: row.handle })
    if (sandbox.status === 'RUNNING' || sandbox.paused)
      await transact(this.#db, tx => markDead(tx, row.id, 'It ended while the service was away.', false))
  }

  /** A restart was under way when the process before this one ended. */
  async #finishRestart(row: MachineRow, handle: MachineHandle, isUp: boolean): Promise<void> {
    const onUp = () => transact(this.#db, tx => markRunning(tx, row.id))
    if (!isUp) return this.#keeper.restart(row, handle, onUp)
    await onUp()
    await this.#keeper.watch({ ...row, handle })
  }

  async #takeUpPooled(row: MachineRow): Promise<void> {
    const { handle } = row
    const state = handle ? await this.#keeper.engineOf(row).inspect(handle) : undefined
    if (handle && state?.status === 'running') await this.#keeper.watch({ ...row, handle })
    else await doomMachine(this.#db, row.id)
  }

  /** Destroys what is doomed or forgotten, and takes up what was made without its row knowing, or was abandoned. */
  async sweep(): Promise<void> {
    await this.#keeper.destroyDoomed()
    if (this.#keeper.isMaking) return
    const adopted = await this.#settleStrays()
    const ids = new Set(adopted.map(({ id }) => id))
    const abandoned = (await this.#findAbandoned()).filter(({ id }) => !ids.has(id))
    for (const row of [...adopted, ...abandoned]) await this.#takeUpOne(row)
  }

  /**
   * Machines that should run and that nobody makes or watches. That is so after the database was away: the answer to the
   * commit of a create was lost, or what became of a machine could not be written. Only those that were found before as
   * well, because a create is carried out a moment after its commit.
   */
  async #findAbandoned(): Promise<MachineRow[]> {
    const rows = await machinesOfNode(this.#db, this.#keeper.nodeId)
    const unattended: MachineRow[] = []
    for (const row of rows) {
      const isWanted = row.state === 'starting' || row.state === 'claimed'
      if (!isWanted || this.#keeper.isAttended(row.id) || !this.#keeper.engines.get(row.engine)) continue
      const status = (await this.#sandboxOf(row))?.status
      if (row.state === 'starting' || status === 'PENDING' || status === 'RUNNING') unattended.push(row)
    }
    const before = this.#unattended
    this.#unattended = new Set(unattended.map(({ id }) => id))
    const abandoned = unattended.filter(({ id }) => before.has(id) && !this.#keeper.isAttended(id))
    if (abandoned.length > 0)
      this.#log.warn(
        { machines: abandoned.map(({ id }) => id) },
        'machines that nobody attended to are taken up',
      )
    return abandoned
  }

  async #settleStrays(): Promise<MachineRow[]> {
    const adopted: MachineRow[] = []
    for (const name of this.#engineNames) {
      const engine = this.#keeper.engines.get(name)
      if (engine) adopted.push(...(await this.#strays.settle(engine)))
    }
    return adopted
  }

  async #sandboxOf(row: MachineRow) {
    return this.#db
      .selectFrom('sandboxes')
      .select(['id', 'status', 'paused'])
      .where('machine_id', '=', row.id)
      .executeTakeFirst()
  }
}
