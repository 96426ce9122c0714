import {
  type Engine,
  type Machine,
  MachineError,
  type MachineHandle,
  wholeMachine,
} from '@sandglass/machines/contract'
import type { Logger } from 'pino'
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
import { markDead, markFailed, markRunning } from '../records/transitions.ts'
import type { Engines } from './engines.ts'
import { HealthNotes } from './health-notes.ts'
import type { Identity } from './ledger.ts'
import type { MachineMarks } from './machine-marks.ts'
import { UnreachableMachines } from './unreachable.ts'

/** Makes, watches and destroys the machines of this node, and writes down what became of them. */
export class MachineKeeper {
  readonly nodeId: string
  /** Machines of the pool that became a sandbox. */
  readonly handedOut: MachineMarks
  readonly #installation: string
  readonly #db: Database
  readonly #engines: Engines
  readonly #log: Logger
  /** Machines that are being made, with what stops that. */
  readonly #making = new Map<string, AbortController>()
  /** Machines that are being made or started again: their sandbox is RUNNING a moment before they are at hand. */
  readonly #arriving = new Map<string, Promise<void>>()
  readonly #watched = new Map<string, Machine>()
  readonly #destroying = new Map<string, Promise<void>>()
  readonly #work = new Set<Promise<void>>()
  readonly #health: HealthNotes
  /** Machines that should run and that cannot be reached. */
  readonly unreachable: UnreachableMachines
  #closed = false
  /** A machine of the pool is gone. */
  onLoss: () => void = () => {}
  /** A machine is at hand, or is no longer. */
  onChange: (id: string) => void = () => {}

  constructor(
    { installation, nodeId }: Identity,
    db: Database,
    engines: Engines,
    handedOut: MachineMarks,
    log: Logger,
  ) {
    this.nodeId = nodeId
    this.handedOut = handedOut
    this.#installation = installation
    this.#db = db
    this.#engines = engines
    this.#log = log
    this.#health = new HealthNotes(db, log)
    this.unreachable = new UnreachableMachines(this.#health, log)
  }

  /** How many machines here have a problem now. */
  get problems(): number {
    return this.#health.problems
  }

  get engines(): Engines {
    return this.#engines
  }

  /** While a machine is being made, the engine may have it though no row names it. */
  isMaking(id: string): boolean {
    return this.#making.has(id)
  }

  /** Whether it is being made, started again, watched, tried again or destroyed here. */
  isAttended(id: string): boolean {
    const attended = [this.#making, this.#arriving, this.#watched, this.#destroying]
    return attended.some(machines => machines.has(id)) || this.unreachable.isRetried(id)
  }

  /** A machine that runs here and is at hand. */
  machine(id: string): Machine | undefined {
    return this.#watched.get(id)
  }

  /** Why a machine that should run cannot be reached, as a sentence; undefined where that is not known to be so. */
  whyUnreachable(id: string): string | undefined {
    const problem = this.#watched.get(id)?.health.problem
    return problem?.component === wholeMachine ? problem.reason : this.unreachable.reasonOf(id)
  }

  /** Remembers that a machine of the pool became a sandbox, before its user is told about it. */
  handOut(id: string): void {
    this.#health.refreshProblem(id)
    try {
      this.handedOut.add(id)
    } catch (error) {
      // The sandbox is committed by now; the next start marks it again.
      this.#log.warn(
        { machine: id, error },
        'the assignment of a machine could not be recorded on the machine',
      )
    }
  }

  /** Settles when a machine that is being made or started again is at hand, or has failed; false where none is. */
  async arrival(id: string): Promise<boolean> {
    const arriving = this.#arriving.get(id)
    await arriving
    return arriving !== undefined
  }

  /** Makes a machine that has its row; for a sandbox, which is then RUNNING or in ERROR, or for the pool. */
  make(row: MachineRow, purpose: 'sandbox' | 'pool'): Promise<void> {
    return this.#arrive(row.id, this.#track(this.#make(row, purpose)))
  }

  async #make(row: MachineRow, purpose: 'sandbox' | 'pool'): Promise<void> {
    const abort = new AbortController()
    this.#making.set(row.id, abort)
    try {
      const engine = this.engineOf(row)
      const owner = { installation: this.#installation, node: this.nodeId, number: Number(row.number) }
      const handle = await engine.create({ ...row.spec, owner }, { signal: abort.signal })
      const opening = Promise.allSettled([engine.open(handle)])
      const isWanted = await transact(this.#db, async tx => {
        const made = await markMade(tx, row.id, handle, purpose === 'pool' ? 'ready' : 'claimed')
        if (made && purpose === 'sandbox') await markRunning(tx, row.id)
        return made
      })
      const [opened] = await opening
      if (isWanted) return await this.#takeUp({ ...row, handle }, opened)
      if (opened.status === 'fulfilled') opened.value.close()
      // Not through #destroy: whoever doomed it meanwhile knew of no handle.
      await this.#destroyNow({ ...row, handle })
    } catch (error) {
      this.#making.delete(row.id)
      if (!abort.signal.aborted) this.#log.warn({ machine: row.id, error }, 'a machine could not be created')
      await this.#giveUp(row, error)
    } finally {
      this.#making.delete(row.id)
    }
  }

  async #giveUp(row: MachineRow, error: unknown): Promise<void> {
    await transact(this.#db, async tx => {
      await markFailed(tx, row.id, reasonOf(error))
      await doomMachine(tx, row.id)
    })
    await this.#destroyNow((await selectMachine(this.#db, row.id)) ?? row)
  }

  /** Takes up a machine that runs; does nothing where it is watched already. */
  async watch(row: MachineRow & { readonly handle: MachineHandle }): Promise<void> {
    if (this.#watched.has(row.id)) return
    try {
      this.#watch(row, await this.engineOf(row).open(row.handle))
      this.#health.refresh(row.id)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      this.unreachable.add(row.id, reasonOf(error))
    }
  }

  /** A machine that cannot be opened just after it was made, or started again, has ended since, or cannot be reached. */
  async #takeUp(row: MachineRow, opened: PromiseSettledResult<Machine>): Promise<void> {
    if (opened.status === 'fulfilled') this.#watch(row, opened.value)
    else if (isUnreachable(opened.reason)) this.unreachable.add(row.id, reasonOf(opened.reason))
    else await this.#bury(row, reasonOf(opened.reason), false)
  }

  /** Hears of it when a machine ends by itself, also when that was before this call. */
  #watch(row: MachineRow, machine: Machine): void {
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
      this.#health.leave(row.id)
      this.onChange(row.id)
      this.#log.warn({ machine: row.id, reason: death.reason }, 'a machine ended unexpectedly')
      void this.#track(this.#bury(row, death.reason, death.orderly))
    })
  }

  /** A machine of the pool that died is of no use; one that is a sandbox keeps its files for a restart. */
  async #bury(row: MachineRow, reason: string, orderly: boolean): Promise<void> {
    const isSandbox = await transact(this.#db, tx => markDead(tx, row.id, reason, orderly))
    if (isSandbox) return
    await doomMachine(this.#db, row.id)
    await this.#destroy(row)
    this.onLoss()
  }

  /** Starts it again; `onUp` writes down that it runs, before anybody hears that it ended again. */
  restart(row: MachineRow, handle: MachineHandle, onUp: () => Promise<void>): Promise<void> {
    return this.#arrive(row.id, this.#restart(row, handle, onUp))
  }

  async #restart(row: MachineRow, handle: MachineHandle, onUp: () => Promise<void>): Promise<void> {
    this.unwatch(row.id)
    const engine = this.engineOf(row)
    await engine.restart(handle)
    const opening = Promise.allSettled([engine.open(handle)])
    await onUp()
    const [opened] = await opening
    await this.#takeUp(row, opened)
  }

  unwatch(id: string): void {
    this.unreachable.drop(id)
    const machine = this.#watched.get(id)
    this.#watched.delete(id)
    this.#health.leave(id)
    machine?.close()
    if (machine && !this.#closed) this.onChange(id)
  }

  /** Destroys every machine of this node that is doomed. One of an engine that is down waits until that is open. */
  async destroyDoomed(): Promise<void> {
    const rows = await machinesOfNode(this.#db, this.nodeId)
    await Promise.all(
      rows
        .filter(({ state, engine, handle }) => state === 'doomed' && (!handle || this.#engines.get(engine)))
        .map(row => this.#track(this.#destroy(row))),
    )
  }

  /** Leaves nothing of the machine, then forgets its row; one at a time for each machine. */
  #destroy(row: MachineRow): Promise<void> {
    const underWay = this.#destroying.get(row.id)
    if (underWay) return underWay
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

  /** Lets go of the machines, which go on running; what was being made is finished or taken back first. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#work)
    this.#closed = true
    this.unreachable.close()
    for (const id of [...this.#watched.keys()]) this.unwatch(id)
  }

  #arrive(id: string, work: Promise<void>): Promise<void> {
    const settled = work
      .catch(() => {})
      .finally(() => {
        if (this.#arriving.get(id) === settled) this.#arriving.delete(id)
      })
    this.#arriving.set(id, settled)
    return work
  }

  #track(work: Promise<void>): Promise<void> {
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
