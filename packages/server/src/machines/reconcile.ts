import type { Engine, MachineHandle, MachineState, MachineStatus } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { doomMachine, type MachineRow, machinesOfNode, selectMachine } from '../records/machines.ts'
import { lockOfMachine, machinesInUse, type SandboxRow } from '../records/sandboxes.ts'
import { markDead, markRunning, setReason } from '../records/transitions.ts'
import { eachMachine } from './each-machine.ts'
import type { MachineKeeper } from './keeper.ts'
import type { Strays } from './strays.ts'

const backAgain =
  'The member of the cluster that has the machine was gone, and is back. Restart the sandbox to continue with its files.'

type MadeMachine = MachineRow & { readonly handle: MachineHandle }

/** Reconciles the machine rows of this node with the machines of its engines. */
export class Reconciler {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #strays: Strays
  readonly #log: Logger
  /** The machines that nobody attended to at the last sweep, by engine. */
  readonly #unattended = new Map<string, ReadonlySet<string>>()

  constructor(db: Database, keeper: MachineKeeper, strays: Strays, log: Logger) {
    this.#db = db
    this.#keeper = keeper
    this.#strays = strays
    this.#log = log
    keeper.unreachable.retry = id => this.#retry(id)
  }

  /** Call this once at a start, before the machines of any engine are adopted. */
  async begin(): Promise<void> {
    await this.#strays.withdrawHandedOut()
  }

  /**
   * Adopts every machine of an engine after a start, and continues what the previous process left unfinished. Safe to
   * repeat.
   */
  async adopt(engine: Engine): Promise<void> {
    const { undecided } = await this.#strays.settle(engine)
    const rows = await this.#rowsOf(engine.name)
    // The previous process may have ended after it claimed a machine but before it marked it as handed out.
    for (const { id, state } of rows) if (state === 'claimed') this.#keeper.handedOut.add(id)
    await this.#takeUpAll(
      rows.filter(
        ({ id, state }) => state !== 'doomed' && !undecided.has(id) && !this.#keeper.isAttended(id),
      ),
    )
    this.#keeper.destroyDoomedSoon()
  }

  /** Shows on every sandbox of an engine that its machine cannot be reached, until `adopt` succeeds. */
  async showUnreachable(engine: string, reason: string): Promise<void> {
    for (const { id, state } of await this.#rowsOf(engine))
      if (state === 'claimed' && !this.#keeper.isAttended(id)) this.#keeper.unreachable.show(id, reason)
  }

  /** One that fails does not concern the others, nor does one whose sandbox is deleted meanwhile. */
  async #takeUpAll(rows: readonly MachineRow[]): Promise<void> {
    await eachMachine(rows, row =>
      this.#takeUp(row).catch(async error => {
        const now = await selectMachine(this.#db, row.id)
        if (now && now.state !== 'doomed')
          this.#log.error({ machine: row.id, error }, 'a machine could not be adopted')
      }),
    )
  }

  /** @param known the state of the machine, if the engine was just asked */
  async #takeUp(row: MachineRow, known?: MachineState): Promise<void> {
    const sandbox = await this.#sandboxOf(row)
    if (!sandbox)
      return row.state === 'ready' ? this.#takeUpPooled(row, known) : doomMachine(this.#db, row.id)
    const { handle } = row
    // The create was answered with PENDING and the incomplete machine was destroyed, so create it again.
    if (row.state === 'starting' || !handle) return void this.#keeper.make(row, 'sandbox')
    const state = await this.#inspect({ ...row, handle }, known)
    if (!state) return
    if (state.status === 'lost') return this.#takeUpLost(row, sandbox, state)
    const isUp = state.status === 'running' || state.status === 'paused'
    if (isUp && isGivenUp(sandbox) && this.#keeper.engineOf(row).members)
      return this.#stopReturned({ ...row, handle })
    if (sandbox.status === 'PENDING') return this.#finishRestart(row, handle, state.status === 'running')
    if (isUp) return this.#restorePowerState({ ...row, handle }, sandbox, state)
    if (sandbox.status === 'RUNNING' || sandbox.paused)
      await transact(this.#db, tx =>
        markDead(tx, row.id, {
          reason: 'It ended while the service was away.',
          orderly: false,
          ...(state.status === 'missing' && { cause: 'engine-lost' }),
        }),
      )
  }

  /** Returns undefined if the machine cannot be reached. It is then left as it is, and retried. */
  async #inspect(row: MadeMachine, known?: MachineState): Promise<MachineState | undefined> {
    const state = known ?? (await this.#keeper.engineOf(row).inspect(row.handle))
    if (state.status === 'unreachable') {
      this.#keeper.unreachable.add(row.id, state.reason ?? 'The machine cannot be reached.')
      return undefined
    }
    if (state.status !== 'lost') this.#keeper.unreachable.drop(row.id)
    return state
  }

  /**
   * Looks at a machine whose member was lost or is back, and returns its status. A machine that is just being changed is left to
   * whoever changes it, and to the next look.
   */
  async lookAt(row: MachineRow): Promise<MachineStatus | undefined> {
    if (!row.handle || this.#keeper.isChanging(row.id)) return undefined
    const state = await this.#keeper.engineOf(row).inspect(row.handle)
    if (state.status === 'lost' || !this.#keeper.isAttended(row.id)) await this.#takeUp(row, state)
    return state.status
  }

  /** Sets the sandbox of a lost machine to ERROR. One that does not run anyway keeps its state and shows the problem. */
  async #takeUpLost(
    row: MachineRow,
    { status, paused }: Pick<SandboxRow, 'status' | 'paused'>,
    { reason = 'The member of the cluster that has the machine is gone.' }: MachineState,
  ): Promise<void> {
    this.#keeper.lost.add(row.id)
    if (status === 'ERROR') return this.#keeper.unreachable.drop(row.id)
    if (status === 'STOPPED' && !paused) return this.#keeper.unreachable.add(row.id, reason)
    await this.#keeper.recordLoss(row, reason)
  }

  /**
   * Stops a machine that came back running with its member, after its sandbox was set to ERROR. It is not billed, so it must not run;
   * its files are kept for a restart.
   */
  async #stopReturned(row: MadeMachine): Promise<void> {
    await this.#keeper.engineOf(row).stop?.(row.handle)
    await transact(this.#db, async tx => {
      const sandbox = await lockOfMachine(tx, row.id)
      if (sandbox && isGivenUp(sandbox)) await setReason(tx, sandbox.id, backAgain)
    })
    this.#log.info({ machine: row.id }, 'a machine whose member is back was stopped')
  }

  /**
   * Pauses, resumes or stops a machine so that it matches its row. The previous process may have ended after it paused or
   * resumed the machine but before it recorded that, or before it stopped a machine that it had recorded as hibernated. The
   * caller never got a response, so the row is right.
   */
  async #restorePowerState(
    row: MadeMachine,
    { status: wanted, paused, hibernated }: Pick<SandboxRow, 'status' | 'paused' | 'hibernated'>,
    { status }: MachineState,
  ): Promise<void> {
    const engine = this.#keeper.engineOf(row)
    if (hibernated) return engine.stop?.(row.handle)
    if (paused) return status === 'running' ? engine.pause(row.handle) : undefined
    if (wanted === 'RUNNING' && status === 'paused') await engine.resume(row.handle)
    await this.#keeper.watch(row)
  }

  /** Finishes a restart that was in progress when the previous process ended. */
  async #finishRestart(row: MachineRow, handle: MachineHandle, isUp: boolean): Promise<void> {
    const onUp = () => transact(this.#db, tx => markRunning(tx, row.id))
    if (!isUp) return this.#keeper.restart(row, handle, onUp)
    await onUp()
    await this.#keeper.watch({ ...row, handle })
  }

  async #takeUpPooled(row: MachineRow, known?: MachineState): Promise<void> {
    const { handle } = row
    const made = handle && { ...row, handle }
    const state = made ? await this.#inspect(made, known) : { status: 'missing' }
    if (state?.status === 'lost') return await this.#keeper.recordLoss(row, 'Its member is gone.')
    if (made && state?.status === 'running') await this.#keeper.watch(made)
    else if (state) await doomMachine(this.#db, row.id)
  }

  /** Retries a machine that could not be reached. It reads the row again, because the sandbox may have changed. */
  async #retry(id: string): Promise<void> {
    const row = await selectMachine(this.#db, id)
    if (row && row.state !== 'doomed') await this.#takeUp(row)
    else this.#keeper.unreachable.drop(id)
  }

  /**
   * Destroys doomed and forgotten machines, and takes up abandoned ones and those whose creation was not recorded in their
   * row. An engine that fails is retried at the next sweep.
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
    await this.#takeUpAll([...adopted, ...abandoned])
  }

  /**
   * Finds machines that should run but that nobody creates or watches. This happens after an outage of the database, if the
   * response to the commit of a create was lost or a change of a machine could not be written. A machine counts as abandoned
   * only if two sweeps in a row find it, because a create is carried out shortly after its commit.
   */
  async #findAbandoned(engine: string): Promise<MachineRow[]> {
    const rows = await this.#rowsOf(engine)
    const inUse = await machinesInUse(this.#db, this.#keeper.nodeId)
    const unattended = rows.filter(
      ({ id, state, org_id: orgId }) =>
        (state === 'starting' || (state === 'claimed' && (orgId !== null || inUse.has(id)))) &&
        !this.#keeper.isAttended(id),
    )
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
      .select(['id', 'status', 'paused', 'hibernated', 'before_loss'])
      .where('machine_id', '=', row.id)
      .executeTakeFirst()
  }
}

/** Whether a sandbox is in ERROR for another reason than that its node is lost, after which it would be recovered. */
function isGivenUp({ status, before_loss }: Pick<SandboxRow, 'status' | 'before_loss'>): boolean {
  return status === 'ERROR' && before_loss === null
}
