import type { Engine, MachineHandle, MachineState } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { doomMachine, type MachineRow, machinesOfNode, selectMachine } from '../records/machines.ts'
import { markDead, markRunning } from '../records/transitions.ts'
import type { MachineKeeper } from './keeper.ts'
import type { Strays } from './strays.ts'

type MadeMachine = MachineRow & { readonly handle: MachineHandle }

/** Brings the rows of this node and the machines of its engines to agree, both ways. */
export class Reconciler {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #strays: Strays
  readonly #log: Logger
  /** Those that nobody attended to at the last sweep, by their engines. */
  readonly #unattended = new Map<string, ReadonlySet<string>>()

  constructor(db: Database, keeper: MachineKeeper, strays: Strays, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#strays = strays
    this.#log = log
    keeper.unreachable.retry = id => this.#retry(id)
  }

  /** Before the machines of any engine are taken up. */
  async begin(): Promise<void> {
    await this.#strays.withdrawHandedOut()
  }

  /** After a start: takes up every machine of an engine where the process before this one left it. Can be repeated. */
  async adopt(engine: Engine): Promise<void> {
    const { undecided } = await this.#strays.settle(engine)
    const rows = await this.#rowsOf(engine.name)
    // Also those that were claimed just before the process before this one ended, which had no time to mark them.
    for (const { id, state } of rows) if (state === 'claimed') this.#keeper.handedOut.add(id)
    await Promise.all(
      rows
        .filter(({ id, state }) => state !== 'doomed' && !undecided.has(id) && !this.#keeper.isAttended(id))
        .map(row =>
          this.#takeUpOne(row).catch(error =>
            this.#log.error({ machine: row.id, error }, 'a machine could not be adopted'),
          ),
        ),
    )
    await this.#keeper.destroyDoomed()
  }

  /** Shows on every sandbox of an engine that its machine cannot be reached; `adopt` ends that. */
  async showUnreachable(engine: string, reason: string): Promise<void> {
    for (const { id, state } of await this.#rowsOf(engine))
      if (state === 'claimed' && !this.#keeper.isAttended(id)) this.#keeper.unreachable.show(id, reason)
  }

  async #takeUpOne(row: MachineRow): Promise<void> {
    const sandbox = await this.#sandboxOf(row)
    if (!sandbox) return row.state === 'ready' ? this.#takeUpPooled(row) : doomMachine(this.#db, row.id)
    const { handle } = row
    // Its create was answered with PENDING, and what was half-made is gone by now: make it anew.
    if (row.state === 'starting' || !handle) return void this.#keeper.make(row, 'sandbox')
    const state = await this.#inspect({ ...row, handle })
    if (!state) return
    const isUp = state.status === 'running' || state.status === 'paused'
    if (sandbox.status === 'PENDING') return this.#finishRestart(row, handle, isUp)
    if (isUp) return this.#agree({ ...row, handle }, sandbox, state)
    if (sandbox.status === 'RUNNING' || sandbox.paused)
      await transact(this.#db, tx => markDead(tx, row.id, 'It ended while the service was away.', false))
  }

  /** Undefined where it cannot be reached: it is left as it is, and tried again. */
  async #inspect(row: MadeMachine): Promise<MachineState | undefined> {
    const state = await this.#keeper.engineOf(row).inspect(row.handle)
    if (state.status === 'unreachable') {
      this.#keeper.unreachable.add(row.id, state.reason ?? 'The machine cannot be reached.')
      return undefined
    }
    this.#keeper.unreachable.drop(row.id)
    return state
  }

  /**
   * A pause, or its end, may have been done though the process ended before it was recorded. Nobody was told that it was
   * done, so the machine follows its row.
   */
  async #agree(
    row: MadeMachine,
    { status: wanted, paused }: { readonly status: string; readonly paused: boolean },
    { status }: MachineState,
  ): Promise<void> {
    const engine = this.#keeper.engineOf(row)
    if (paused) return status === 'running' ? engine.pause(row.handle) : undefined
    if (wanted === 'RUNNING' && status === 'paused') await engine.resume(row.handle)
    await this.#keeper.watch(row)
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
    const made = handle && { ...row, handle }
    const state = made ? await this.#inspect(made) : { status: 'missing' }
    if (made && state?.status === 'running') await this.#keeper.watch(made)
    else if (state) await doomMachine(this.#db, row.id)
  }

  /** A machine that could not be reached is tried again, as its row is by now. */
  async #retry(id: string): Promise<void> {
    const row = await selectMachine(this.#db, id)
    if (row && row.state !== 'doomed') await this.#takeUpOne(row)
    else this.#keeper.unreachable.drop(id)
  }

  /**
   * Destroys what is doomed or forgotten, and takes up what was made without its row knowing, or was abandoned. An engine
   * that fails is asked again at the next sweep.
   */
  async sweep(engines: readonly Engine[]): Promise<void> {
    await this.#keeper.destroyDoomed()
    for (const engine of engines)
      await this.#sweep(engine).catch(error =>
        this.#log.warn({ engine: engine.name, error }, 'the machines of an engine were not reconciled'),
      )
  }

  async #sweep(engine: Engine): Promise<void> {
    const { adopted, undecided } = await this.#strays.settle(engine)
    const settled = new Set([...adopted.map(({ id }) => id), ...undecided])
    const abandoned = (await this.#findAbandoned(engine.name)).filter(({ id }) => !settled.has(id))
    for (const row of [...adopted, ...abandoned]) await this.#takeUpOne(row)
  }

  /**
   * Machines that should run and that nobody makes or watches. That is so after the database was away: the answer to the
   * commit of a create was lost, or what became of a machine could not be written. Only those that were found before as
   * well, because a create is carried out a moment after its commit.
   */
  async #findAbandoned(engine: string): Promise<MachineRow[]> {
    const unattended: MachineRow[] = []
    for (const row of await this.#rowsOf(engine)) {
      const isWanted = row.state === 'starting' || row.state === 'claimed'
      if (!isWanted || this.#keeper.isAttended(row.id)) continue
      const status = (await this.#sandboxOf(row))?.status
      if (row.state === 'starting' || status === 'PENDING' || status === 'RUNNING') unattended.push(row)
    }
    const before = this.#unattended.get(engine)
    this.#unattended.set(engine, new Set(unattended.map(({ id }) => id)))
    const abandoned = unattended.filter(({ id }) => before?.has(id) && !this.#keeper.isAttended(id))
    if (abandoned.length > 0)
      this.#log.warn(
        { machines: abandoned.map(({ id }) => id) },
        'machines that nobody attended to are taken up',
      )
    return abandoned
  }

  async #rowsOf(engine: string): Promise<MachineRow[]> {
    const rows = await machinesOfNode(this.#db, this.#keeper.nodeId)
    return rows.filter(row => row.engine === engine)
  }

  async #sandboxOf(row: MachineRow) {
    return this.#db
      .selectFrom('sandboxes')
      .select(['id', 'status', 'paused'])
      .where('machine_id', '=', row.id)
      .executeTakeFirst()
  }
}
