import {
  type Death,
  type Engine,
  MachineError,
  type MachineHandle,
  type MachineSpec,
  type SnapshotHandle,
  wholeMachine,
} from '@sandglass/machines/contract'
import type { RunningMachine, Workers } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { EnvironmentSeal } from '../auth/environment-seal.ts'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import {
  doomMachine,
  forgetMachine,
  type MachineRow,
  machinesOfNode,
  markMade,
  selectMachine,
} from '../records/machines.ts'
import { selectTenant } from '../records/sandboxes.ts'
import { selectDisk } from '../records/saved-disks.ts'
import { markDead, markFailed, markRunning } from '../records/transitions.ts'
import type { Engines } from './engines.ts'
import { HealthNotes } from './health-notes.ts'
import type { Identity } from './ledger.ts'
import type { MachineMarks } from './machine-marks.ts'
import { UnreachableMachines } from './unreachable.ts'

/** Creates, watches and destroys the machines of this node, and records their state in the database. */
export class MachineKeeper {
  readonly nodeId: string
  /** Pooled machines that became sandboxes. */
  readonly handedOut: MachineMarks
  /** Encrypts the environment variables in the rows of machines. */
  readonly environment: EnvironmentSeal
  readonly #installation: string
  readonly #db: Database
  readonly #engines: Engines
  readonly #workers: Workers
  readonly #log: Logger
  /** Machines that are being created, each with the controller that aborts its creation. */
  readonly #making = new Map<string, AbortController>()
  /**
   * Machines that are being created or restarted. Their sandbox is RUNNING a moment before the machine is watched, so
   * callers wait for this.
   */
  readonly #arriving = new Map<string, Promise<void>>()
  readonly #watched = new Map<string, RunningMachine>()
  readonly #destroying = new Map<string, Promise<void>>()
  readonly #work = new Set<Promise<void>>()
  readonly #health: HealthNotes
  /** Machines that should run but cannot be reached. */
  readonly unreachable: UnreachableMachines
  #closed = false
  /** Called when a pooled machine has died, so that the pool can be refilled. */
  onPooledMachineLost: () => void = () => {}
  /** Called when a machine that starts with a saved disk no longer needs the disk. */
  onDiskUsed: () => void = () => {}
  /** Called when a machine was destroyed. */
  onDestroyed: () => void = () => {}
  /** Settles when the volumes of a machine that is to be created are free, because the machines that had them are destroyed. */
  awaitVolumes: (id: string, signal: AbortSignal) => Promise<void> = async () => {}
  /** Called when a machine becomes available or unavailable. */
  onChange: (id: string) => void = () => {}

  constructor(
    { installation, nodeId }: Identity,
    db: Database,
    engines: Engines,
    workers: Workers,
    handedOut: MachineMarks,
    environment: EnvironmentSeal,
    log: Logger,
  ) {
    this.nodeId = nodeId
    this.handedOut = handedOut
    this.environment = environment
    this.#installation = installation
    this.#db = db
    this.#engines = engines
    this.#workers = workers
    this.#log = log
    this.#health = new HealthNotes(db, log)
    this.unreachable = new UnreachableMachines(this.#health, log)
  }

  /** The number of machines here that have a problem now. */
  get problems(): number {
    return this.#health.problems
  }

  get engines(): Engines {
    return this.#engines
  }

  /** Whether a machine is being created. Until that has ended, the engine may list it even though its row is gone. */
  isMaking(id: string): boolean {
    return this.#making.has(id)
  }

  /** Whether this process is creating, restarting, watching, retrying or destroying the machine. */
  isAttended(id: string): boolean {
    const attended = [this.#making, this.#arriving, this.#watched, this.#destroying]
    return attended.some(machines => machines.has(id)) || this.unreachable.isRetried(id)
  }

  /** Returns a machine that runs here and is open. */
  machine(id: string): RunningMachine | undefined {
    return this.#watched.get(id)
  }

  /** Returns why a machine cannot be reached, as a sentence, or undefined if no such problem is known. */
  whyUnreachable(id: string): string | undefined {
    const problem = this.#watched.get(id)?.health.problem
    return problem?.component === wholeMachine ? problem.reason : this.unreachable.reasonOf(id)
  }

  /**
   * Records that a pooled machine became a sandbox. Call it before the create is answered, so that an older database
   * never gives it to somebody else.
   */
  handOut(id: string, tenant: string): void {
    this.#watched.get(id)?.belongsTo(tenant)
    this.#health.refreshProblem(id)
    try {
      this.handedOut.add(id)
    } catch (error) {
      // The sandbox is already committed, so the create must not fail; the next start records it again.
      this.#log.warn(
        { machine: id, error },
        'the assignment of a machine could not be recorded on the machine',
      )
    }
  }

  /** Waits until a machine that is being created or restarted is available or has failed. Returns false if it is neither. */
  async arrival(id: string): Promise<boolean> {
    const arriving = this.#arriving.get(id)
    await arriving
    return arriving !== undefined
  }

  /**
   * Creates the machine of a row, either for a sandbox, which is RUNNING or in ERROR afterwards, or for the pool. The engine is
   * called at once if the caller has the `disk` that the machine starts with, which is otherwise read from the database.
   */
  make(row: MachineRow, purpose: 'sandbox' | 'pool', disk?: SnapshotHandle): Promise<void> {
    return this.#trackArrival(row.id, this.#trackWork(this.#make(row, purpose, disk)))
  }

  /** Creates the machine of a row that is no sandbox and not for the pool, and throws if it cannot be used. */
  async makeForWork(row: MachineRow, disk?: SnapshotHandle): Promise<RunningMachine> {
    let failure: unknown
    const note = (error: unknown) => {
      failure = error
    }
    await this.#trackArrival(row.id, this.#trackWork(this.#make(row, 'work', disk, note)))
    const machine = this.machine(row.id)
    if (machine) return machine
    throw failure instanceof MachineError ? failure : new MachineError('MACHINE_FAILED', reasonOf(failure))
  }

  async #make(
    row: MachineRow,
    purpose: 'sandbox' | 'pool' | 'work',
    disk?: SnapshotHandle,
    onFailure: (error: unknown) => void = () => {},
  ): Promise<void> {
    const abort = new AbortController()
    this.#making.set(row.id, abort)
    const tenant = selectTenant(this.#db, row.id)
    // The worker starts while the machine does. If the tenant cannot be read, opening fails for that reason.
    tenant.then(
      it => this.#workers.prepare(it),
      () => {},
    )
    try {
      const engine = this.engineOf(row)
      const owner = { installation: this.#installation, node: this.nodeId, number: Number(row.number) }
      const spec = { ...this.environment.open(row.spec), owner }
      if (spec.volumes) await this.awaitVolumes(row.id, abort.signal)
      const handle = await this.#create(engine, row, spec, disk, abort.signal)
      // Opened first, so that a sandbox which is RUNNING can be used.
      const [opened] = await Promise.allSettled([tenant.then(it => this.#workers.open(engine, handle, it))])
      const isWanted = await transact(this.#db, async tx => {
        const made = await markMade(tx, row.id, handle, purpose === 'pool' ? 'ready' : 'claimed')
        if (made && purpose === 'sandbox') await markRunning(tx, row.id)
        return made
      }).catch(error => {
        if (opened.status === 'fulfilled') opened.value.close()
        throw error
      })
      if (isWanted) return await this.#takeUp({ ...row, handle }, opened)
      if (opened.status === 'fulfilled') opened.value.close()
      // Do not use #destroy here: it could return a destruction that was begun without the handle and removes nothing.
      await this.#destroyNow({ ...row, handle })
    } catch (error) {
      this.#making.delete(row.id)
      onFailure(error)
      if (!abort.signal.aborted) this.#log.warn({ machine: row.id, error }, 'a machine could not be created')
      await this.#recordFailure(row, error)
    } finally {
      this.#making.delete(row.id)
      if (row.disk_id !== null) this.onDiskUsed()
    }
  }

  async #create(
    engine: Engine,
    { disk_id: diskId }: MachineRow,
    spec: MachineSpec,
    disk: SnapshotHandle | undefined,
    signal: AbortSignal,
  ): Promise<MachineHandle> {
    if (diskId === null) return engine.create(spec, { signal })
    const saved = disk ?? (await selectDisk(this.#db, diskId))?.handle
    if (!saved || !engine.snapshots) throw new MachineError('NOT_FOUND', 'The saved disk is gone.')
    return engine.snapshots.create(saved, spec, { signal })
  }

  async #recordFailure(row: MachineRow, error: unknown): Promise<void> {
    await transact(this.#db, async tx => {
      await markFailed(tx, row.id, reasonOf(error))
      await doomMachine(tx, row.id)
    })
    await this.#destroyNow((await selectMachine(this.#db, row.id)) ?? row)
  }

  async #open(engine: Engine, id: string, handle: MachineHandle): Promise<RunningMachine> {
    return this.#workers.open(engine, handle, await selectTenant(this.#db, id))
  }

  /** Opens and watches a running machine. Does nothing if it is watched already. */
  async watch(row: MachineRow & { readonly handle: MachineHandle }): Promise<void> {
    if (this.#watched.has(row.id)) return
    try {
      this.#watch(row, await this.#open(this.engineOf(row), row.id, row.handle))
      this.#health.refresh(row.id)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      this.unreachable.add(row.id, reasonOf(error))
    }
  }

  /**
   * Watches a machine that was just created or restarted. If it could not be opened, it is unreachable or has already
   * ended.
   */
  async #takeUp(row: MachineRow, opened: PromiseSettledResult<RunningMachine>): Promise<void> {
    if (opened.status === 'fulfilled') this.#watch(row, opened.value)
    else if (isUnreachable(opened.reason)) this.unreachable.add(row.id, reasonOf(opened.reason))
    else await this.#recordDeath(row, { reason: reasonOf(opened.reason), orderly: false })
  }

  /** Watches a machine, and records its death even if it died before this call. */
  #watch(row: MachineRow, machine: RunningMachine): void {
    if (this.#closed) {
      machine.close()
      return
    }
    this.unreachable.drop(row.id)
    this.#watched.set(row.id, machine)
    this.#health.follow(row.id, machine)
    this.onChange(row.id)
    void machine.died.then(death => {
      if (this.#watched.get(row.id) !== machine || this.#closed) return
      this.#watched.delete(row.id)
      this.#health.unfollow(row.id)
      this.onChange(row.id)
      this.#log.warn({ machine: row.id, reason: death.reason }, 'a machine ended unexpectedly')
      void this.#trackWork(this.#recordDeath(row, death))
    })
  }

  /** Records the death of a machine. A pooled machine is destroyed; the machine of a sandbox keeps its files for a restart. */
  async #recordDeath(row: MachineRow, death: Death): Promise<void> {
    const isSandbox = await transact(this.#db, tx => markDead(tx, row.id, death))
    if (isSandbox) return
    await doomMachine(this.#db, row.id)
    await this.#destroy(row)
    this.onPooledMachineLost()
  }

  /**
   * Starts a machine again, by a restart unless `start` does something else. `onUp` records that it runs, and is called before
   * the machine's next death can be recorded.
   */
  restart(
    row: MachineRow,
    handle: MachineHandle,
    onUp: () => Promise<void>,
    start: (engine: Engine) => Promise<void> = engine => engine.restart(handle),
  ): Promise<void> {
    return this.#trackArrival(row.id, this.#restart(row, handle, onUp, start))
  }

  async #restart(
    row: MachineRow,
    handle: MachineHandle,
    onUp: () => Promise<void>,
    start: (engine: Engine) => Promise<void>,
  ): Promise<void> {
    this.unwatch(row.id)
    const engine = this.engineOf(row)
    await start(engine)
    const [opened] = await Promise.allSettled([this.#open(engine, row.id, handle)])
    await onUp().catch(error => {
      if (opened.status === 'fulfilled') opened.value.close()
      throw error
    })
    await this.#takeUp(row, opened)
  }

  unwatch(id: string): void {
    this.unreachable.drop(id)
    const machine = this.#watched.get(id)
    this.#watched.delete(id)
    this.#health.unfollow(id)
    machine?.close()
    if (machine && !this.#closed) this.onChange(id)
  }

  /** Destroys every doomed machine of this node. Machines of an engine that is down wait until it is open. */
  async destroyDoomed(): Promise<void> {
    const rows = await machinesOfNode(this.#db, this.nodeId)
    await Promise.all(
      rows
        .filter(({ state, engine, handle }) => state === 'doomed' && (!handle || this.#engines.get(engine)))
        .map(row => this.#trackWork(this.#destroy(row))),
    )
  }

  /** Destroys them in the background. What fails is logged, and the next sweep retries it. */
  destroyDoomedSoon(): void {
    void this.#trackWork(this.destroyDoomed())
  }

  /** Destroys a machine and then deletes its row. Concurrent calls for one machine share one destruction. */
  #destroy(row: MachineRow): Promise<void> {
    const current = this.#destroying.get(row.id)
    if (current) return current
    const destroying = this.#destroyNow(row).finally(() => this.#destroying.delete(row.id))
    this.#destroying.set(row.id, destroying)
    return destroying
  }

  async #destroyNow(row: MachineRow): Promise<void> {
    const making = this.#making.get(row.id)
    this.unwatch(row.id)
    if (making && !row.handle) return making.abort()
    try {
      if (row.handle) await this.engineOf(row).destroy(row.handle)
      this.handedOut.delete(row.id)
      await forgetMachine(this.#db, row.id)
      if (row.spec.volumes) this.onDestroyed()
    } catch (error) {
      this.#log.error({ machine: row.id, error }, 'a machine could not be destroyed; retrying later')
    }
  }

  engineOf({ engine: name }: Pick<MachineRow, 'engine'>): Engine {
    const engine = this.#engines.get(name)
    if (engine) return engine
    if (this.#engines.names.includes(name))
      throw new MachineError('UNREACHABLE', `The engine ${name} is down.`)
    throw new MachineError('STATE', `This process has no engine ${name}.`)
  }

  /** Finishes work in progress and then closes the machines, which keep running. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#work)
    this.#closed = true
    this.unreachable.close()
    for (const id of [...this.#watched.keys()]) this.unwatch(id)
  }

  #trackArrival(id: string, work: Promise<void>): Promise<void> {
    const settled = work
      .catch(() => {})
      .finally(() => {
        if (this.#arriving.get(id) === settled) this.#arriving.delete(id)
      })
    this.#arriving.set(id, settled)
    return work
  }

  #trackWork(work: Promise<void>): Promise<void> {
    const tracked = work
      .catch(error => this.#log.error({ error }, 'work on a machine failed'))
      .finally(() => this.#work.delete(tracked))
    this.#work.add(tracked)
    return tracked
  }
}

const isUnreachable = (error: unknown) => error instanceof MachineError && error.code === 'UNREACHABLE'

function reasonOf(error: unknown): string {
  return error instanceof MachineError ? error.message : 'The machine failed.'
}
