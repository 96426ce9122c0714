import {
  type Death,
  type Engine,
  MachineError,
  type MachineHandle,
  type SnapshotHandle,
} from '@sandglass/machines/contract'
import { Lull } from '@sandglass/supervision'
import type { RunningMachine, Workers } from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import type { EnvironmentSeal } from '../auth/environment-seal.ts'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { doomMachine, type MachineRow, machinesOfNode, markMade, selectMachine } from '../records/machines.ts'
import { lockOfMachine, selectTenant } from '../records/sandboxes.ts'
import { markDead, markFailed, markRunning } from '../records/transitions.ts'
import { Arrivals } from './arrivals.ts'
import { createOnEngine } from './create-on-engine.ts'
import { Destruction } from './destruction.ts'
import { eachMachine } from './each-machine.ts'
import { type Engines, engineOf } from './engines.ts'
import type { Identity } from './ledger.ts'
import type { MachineMarks } from './machine-marks.ts'
import type { MachineMetrics, Purpose } from './machine-metrics.ts'
import { Opening } from './opening.ts'
import { TrackedWork } from './tracked-work.ts'
import type { UnreachableMachines } from './unreachable.ts'
import { WatchedMachines } from './watched-machines.ts'

const afterLoss =
  'The sandbox does not run and is not billed. Its files are there again when the member returns. Until then, a restart starts it elsewhere if it has a snapshot or an image.'

type OnFailure = (error: unknown) => void

/** Creates, watches and destroys the machines of this node, and records their state in the database. */
export class MachineKeeper {
  readonly nodeId: string
  /** Pooled machines that became sandboxes. */
  readonly handedOut: MachineMarks
  /** Encrypts the environment variables in the rows of machines. */
  readonly environment: EnvironmentSeal
  readonly engines: Engines
  /** The creates that are being answered. Work that can wait for them does. */
  readonly creates = new Lull()
  readonly #installation: string
  readonly #db: Database
  readonly #workers: Workers
  readonly #log: Logger
  /** Machines that are being created, each with the controller that aborts its creation. */
  readonly #making = new Map<string, AbortController>()
  readonly #arriving = new Arrivals()
  readonly #watched: WatchedMachines
  readonly #destruction: Destruction
  readonly #work = new TrackedWork()
  /** The ids of machines that were lost with a member of their cluster and have not been seen since. */
  readonly lost = new Set<string>()
  /** Called when a pooled machine has died, so that the pool can be refilled. */
  onPooledMachineLost: (row: MachineRow) => void = () => {}
  /** Called when a machine that starts with a saved disk no longer needs the disk. */
  onDiskUsed: () => void = () => {}
  /** Called when a machine that had volumes was destroyed. */
  onVolumesFreed: () => void = () => {}
  /** Settles when the volumes of a machine that is to be created are free, because the machines that had them are destroyed. */
  awaitVolumes: (id: string, signal: AbortSignal) => Promise<void> = async () => {}
  /** Counts what becomes of machines. */
  metrics: Pick<MachineMetrics, 'running' | 'failed' | 'died'> | undefined
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
    this.engines = engines
    this.#workers = workers
    this.#log = log
    this.#watched = new WatchedMachines(db, log, id => this.onChange(id))
    this.#destruction = new Destruction({
      db,
      nodeId,
      engines,
      handedOut,
      lost: this.lost,
      watched: this.#watched,
      making: this.#making,
      onVolumesFreed: () => this.onVolumesFreed(),
      log,
    })
  }

  /** The number of machines here that have a problem now. */
  get problems(): number {
    return this.#watched.problems
  }

  /** Machines that should run but cannot be reached. */
  get unreachable(): UnreachableMachines {
    return this.#watched.unreachable
  }

  /** Whether a machine is being created. Until that has ended, the engine may list it even though its row is gone. */
  isMaking(id: string): boolean {
    return this.#making.has(id)
  }

  /** Whether this process is creating, restarting, watching, retrying or destroying the machine. */
  isAttended(id: string): boolean {
    const attended = [this.#making, this.#arriving, this.#watched, this.#destruction]
    return attended.some(machines => machines.has(id)) || this.unreachable.isRetried(id)
  }

  /** Whether this process is creating, restarting or destroying the machine, so that its state is about to change. */
  isChanging(id: string): boolean {
    return [this.#making, this.#arriving, this.#destruction].some(machines => machines.has(id))
  }

  /** Returns a machine that runs here and is open. */
  machine(id: string): RunningMachine | undefined {
    return this.#watched.get(id)
  }

  /** Returns why a machine cannot be reached, as a sentence, or undefined if no such problem is known. */
  whyUnreachable(id: string): string | undefined {
    return this.#watched.whyUnreachable(id)
  }

  /**
   * Records that a pooled machine became a sandbox. Call it before the create is answered, so that an older database
   * never gives it to somebody else.
   */
  handOut(id: string, tenant: string): void {
    this.#watched.handOut(id, tenant, this.creates)
    try {
      this.handedOut.add(id)
    } catch (error) {
      // The sandbox is already committed, so the create must not fail; the next start records it again.
      this.#log.warn({ machine: id, error }, 'the assignment of a machine could not be recorded on it')
    }
  }

  /** Waits until a machine that is being created or restarted is available or has failed. Returns false if it is neither. */
  arrival(id: string): Promise<boolean> {
    return this.#arriving.wait(id)
  }

  /**
   * Creates the machine of a row: for a sandbox, which is RUNNING or in ERROR afterwards, for the pool, or for work of the
   * service. The engine is called at once if the caller has the `disk` that the machine starts with, which is otherwise read
   * from the database. A failure is recorded, and reported to `onFailure`.
   */
  make(row: MachineRow, purpose: Purpose, disk?: SnapshotHandle, onFailure?: OnFailure): Promise<void> {
    return this.#arriving.track(row.id, this.trackWork(this.#make(row, purpose, disk, onFailure)))
  }

  async #make(
    row: MachineRow,
    purpose: Purpose,
    disk: SnapshotHandle | undefined,
    onFailure: OnFailure = () => {},
  ): Promise<void> {
    const abort = new AbortController()
    const from = performance.now()
    this.#making.set(row.id, abort)
    const tenant = selectTenant(this.#db, row.id)
    // The worker starts while the machine does. If the tenant cannot be read, opening fails for that reason.
    tenant.then(
      it => this.#workers.prepare(it),
      () => {},
    )
    const opening = new Opening(async handle => this.#workers.open(this.engineOf(row), handle, await tenant))
    try {
      const engine = this.engineOf(row)
      const owner = { installation: this.#installation, node: this.nodeId, number: Number(row.number) }
      const spec = { ...this.environment.open(row.spec), owner }
      if (spec.volumes) await this.awaitVolumes(row.id, abort.signal)
      const handle = await createOnEngine(this.#db, engine, row, spec, disk, {
        signal: abort.signal,
        onReachable: reachable => opening.begin(reachable),
      })
      // Opened first, so that a sandbox which is RUNNING can be used.
      const opened = await opening.finish(handle)
      const isWanted = await transact(this.#db, async tx => {
        if (purpose === 'sandbox') await lockOfMachine(tx, row.id)
        const made = await markMade(tx, row.id, handle, purpose === 'pool' ? 'ready' : 'claimed')
        if (made && purpose === 'sandbox') await markRunning(tx, row.id)
        return made
      }).catch(error => {
        if (opened.status === 'fulfilled') opened.value.close()
        throw error
      })
      if (isWanted && purpose === 'sandbox')
        this.metrics?.running(row.shape_name, 'created', (performance.now() - from) / 1000)
      if (isWanted) return await this.#takeUp({ ...row, handle }, opened)
      if (opened.status === 'fulfilled') opened.value.close()
      await this.#destruction.destroyNow({ ...row, handle })
    } catch (error) {
      void opening.drop()
      this.#making.delete(row.id)
      onFailure(error)
      if (!abort.signal.aborted) {
        this.metrics?.failed(purpose, error)
        this.#log.warn({ machine: row.id, error }, 'a machine could not be created')
      }
      await this.#recordFailure(row, error)
    } finally {
      this.#making.delete(row.id)
      if (row.disk_id !== null) this.onDiskUsed()
    }
  }

  async #recordFailure(row: MachineRow, error: unknown): Promise<void> {
    await transact(this.#db, async tx => {
      await markFailed(tx, row.id, reasonOf(error))
      await doomMachine(tx, row.id)
    })
    await this.#destruction.destroyNow((await selectMachine(this.#db, row.id)) ?? row)
  }

  async #open(engine: Engine, id: string, handle: MachineHandle): Promise<RunningMachine> {
    return this.#workers.open(engine, handle, await selectTenant(this.#db, id))
  }

  /** Opens and watches a running machine. Does nothing if it is watched already. */
  async watch(row: MachineRow & { readonly handle: MachineHandle }): Promise<void> {
    if (this.#watched.has(row.id)) return
    try {
      this.#watch(row, await this.#open(this.engineOf(row), row.id, row.handle))
      this.#watched.refresh(row.id)
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
    this.#watched.add(row.id, machine, death => {
      void this.trackWork(this.#recordDeath(row, death))
    })
  }

  /** Records that a machine was lost with the member of its cluster. One without a sandbox is destroyed when the member returns. */
  async recordLoss(row: MachineRow, reason: string): Promise<void> {
    this.unwatch(row.id)
    await this.#recordDeath(row, { reason, orderly: false, cause: 'member-lost' })
  }

  /** Records the death of a machine. A pooled machine is destroyed; the machine of a sandbox keeps its files for a restart. */
  async #recordDeath(row: MachineRow, death: Death): Promise<void> {
    this.metrics?.died(death)
    if (death.cause === 'member-lost') this.lost.add(row.id)
    const reason = death.cause === 'member-lost' ? `${death.reason} ${afterLoss}` : death.reason
    const isSandbox = await transact(this.#db, tx => markDead(tx, row.id, { ...death, reason }))
    if (isSandbox) return
    await doomMachine(this.#db, row.id)
    // A machine of a lost member cannot be destroyed soon, and others of that member wait to be recorded.
    const destroyed = this.trackWork(this.#destruction.destroy(row))
    if (death.cause !== 'member-lost') await destroyed
    this.onPooledMachineLost(row)
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
    return this.#arriving.track(row.id, this.#restart(row, handle, onUp, start))
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
    this.#watched.drop(id)
  }

  /** Closes the machines that another node has taken over, which keep running. */
  async releaseMoved(): Promise<void> {
    const own = new Set((await machinesOfNode(this.#db, this.nodeId)).map(({ id }) => id))
    for (const id of [...this.#watched.ids, ...this.lost]) {
      if (own.has(id)) continue
      this.unwatch(id)
      this.lost.delete(id)
    }
  }

  /** Destroys every doomed machine of this node. Machines of an engine that is down wait until it is open. */
  async destroyDoomed(): Promise<void> {
    const rows = await this.#destruction.doomed()
    await eachMachine(rows, row => this.trackWork(this.#destruction.destroy(row)))
  }

  /** Destroys them in the background. What fails is logged, and the next sweep retries it. */
  destroyDoomedSoon(): void {
    void this.trackWork(this.destroyDoomed())
  }

  engineOf({ engine }: Pick<MachineRow, 'engine'>): Engine {
    return engineOf(this.engines, engine)
  }

  /** Finishes work in progress and then closes the machines, which keep running. */
  async close(): Promise<void> {
    await this.#work.settled()
    this.#watched.close()
  }

  /** Does not fail, and is waited for when the service stops. */
  trackWork(work: Promise<void>): Promise<void> {
    return this.#work.track(work.catch(error => this.#log.error({ error }, 'work on a machine failed')))
  }
}

const isUnreachable = (error: unknown) => error instanceof MachineError && error.code === 'UNREACHABLE'

function reasonOf(error: unknown): string {
  return error instanceof MachineError ? error.message : 'The machine failed.'
}
