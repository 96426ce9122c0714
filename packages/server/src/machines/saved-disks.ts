import { randomBytes } from 'node:crypto'
import {
  type Engine,
  type ListedSnapshot,
  MachineError,
  type MachineHandle,
  type Snapshots,
  type TakenSnapshot,
} from '@sandglass/machines/contract'
import type { KeyedMutex } from '@sandglass/supervision'
import type { Logger } from 'pino'
import type { Database, Tx } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import type { MachineRow } from '../records/machines.ts'
import { idsElsewhere } from '../records/moved.ts'
import {
  diskIdsOf,
  disksInUse,
  doomedDisks,
  failDisk,
  failInterruptedDisks,
  forgetDisk,
  insertDisk,
  markDiskReady,
  type SavedDiskRow,
} from '../records/saved-disks.ts'
import { belongingOf } from './belonging.ts'
import { DoomedRemoval } from './doomed-removal.ts'
import type { MachineKeeper } from './keeper.ts'
import { type Identity, selectLedgers } from './ledger.ts'
import type { MachineMarks } from './machine-marks.ts'

type MadeMachine = MachineRow & { readonly handle: MachineHandle }

export interface SavedDisksParts {
  readonly db: Database
  readonly identity: Identity
  readonly keeper: MachineKeeper
  /** Allows one change of a machine at a time, such as a restart or saving its disk. */
  readonly mutex: KeyedMutex
  readonly leftAlone: MachineMarks
  readonly log: Logger
}

/** A disk that is used by this process, and is therefore not removed. Dispose of it when that is over. */
export interface HeldDisk extends Disposable {
  readonly id: string
}

/**
 * Saves the disks of this node's machines, and removes saved disks that nobody needs. The row of a disk is inserted
 * before the engine saves it and deleted after the engine has removed it, so that a crash at any time leaves a row or a
 * disk whose owner says that this node may remove it.
 */
export class SavedDisks {
  readonly #parts: SavedDisksParts
  /** The disks that are being saved, or restored from, with the number of their users. */
  readonly #held = new Map<string, number>()
  readonly #removal: DoomedRemoval
  /** Disks that belong to somebody else, each of which is logged once. */
  readonly #unclaimed = new Set<string>()

  constructor(parts: SavedDisksParts) {
    this.#parts = parts
    this.#removal = new DoomedRemoval({
      what: 'saved disks',
      removeAll: () => this.#removeDoomed(),
      log: parts.log,
    })
    parts.keeper.onDiskUsed = () => this.removeDoomedSoon()
  }

  /** Call this at a start. What the previous process was saving is not complete. */
  async begin(): Promise<void> {
    const { db, identity } = this.#parts
    const reason = 'The service ended while the disk was being saved.'
    await transact(db, tx => failInterruptedDisks(tx, identity.nodeId, reason, id => this.#held.has(id)))
  }

  /** Keeps a disk from being removed. Without an id, it is a disk that is about to be saved. */
  hold(id = `disk-${randomBytes(8).toString('hex')}`): HeldDisk {
    this.#held.set(id, (this.#held.get(id) ?? 0) + 1)
    return {
      id,
      [Symbol.dispose]: () => {
        const left = (this.#held.get(id) ?? 1) - 1
        if (left > 0) this.#held.set(id, left)
        else this.#held.delete(id)
      },
    }
  }

  /** Returns the part of a machine's engine that saves disks; undefined if the engine has none. */
  snapshotsOf(machine: Pick<MachineRow, 'engine'>): Snapshots | undefined {
    return this.#parts.keeper.engineOf(machine).snapshots
  }

  /**
   * Inserts the row of a disk that is about to be saved, with the `memory` of the machine if its engine can do that. It must be
   * held until the disk has been saved.
   */
  insert(
    tx: Tx,
    { id }: HeldDisk,
    { engine, shape_name: shapeName, spec }: MachineRow,
    memory = false,
  ): Promise<SavedDiskRow> {
    // A machine that starts with the disk has volumes of its own, or none.
    const { sealedEnv: _, volumes: __, ...rest } = spec
    const { nodeId } = this.#parts.identity
    return insertDisk(tx, { id, nodeId, engine, shapeName, spec: { ...rest, env: {} }, memory })
  }

  /** Lets the engine save the disk of a machine, when nothing else is being done to the machine. */
  async take(machine: MadeMachine, disk: SavedDiskRow): Promise<TakenSnapshot> {
    const { identity, mutex } = this.#parts
    const signal = this.#removal.closing
    const owner = { installation: identity.installation, node: identity.nodeId, number: Number(disk.number) }
    return this.#removal.track(
      mutex.run(
        machine.id,
        async () => {
          const snapshots = this.snapshotsOf(machine)
          if (!snapshots) throw new MachineError('INVALID', 'The disk of this machine cannot be saved.')
          const spec = { id: disk.id, owner, ...(disk.memory && { memory: true }) }
          return await snapshots.take(machine.handle, spec, { signal })
        },
        signal,
      ),
    )
  }

  /**
   * Saves the disk of a machine for an image or a snapshot, which is READY or in ERROR afterwards. `onReady` runs in the
   * transaction that makes it READY.
   */
  save(
    machine: MadeMachine,
    disk: SavedDiskRow,
    onReady: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<TakenSnapshot> {
    return this.#removal.track(this.#save(machine, disk, onReady))
  }

  async #save(
    machine: MadeMachine,
    disk: SavedDiskRow,
    onReady: (tx: Tx) => Promise<void>,
  ): Promise<TakenSnapshot> {
    const { db, log } = this.#parts
    using _held = this.hold(disk.id)
    try {
      const taken = await this.take(machine, disk)
      await transact(db, async tx => {
        if (await markDiskReady(tx, disk.id, taken)) await onReady(tx)
      })
      return taken
    } catch (error) {
      log.warn({ machine: machine.id, disk: disk.id, error }, 'the disk of a machine could not be saved')
      await transact(db, tx => failDisk(tx, disk.id, this.#reasonOf(error)))
      throw error
    } finally {
      this.removeDoomedSoon()
    }
  }

  #reasonOf(error: unknown): string {
    if (this.#removal.closing.aborted) return 'The service was stopped while the disk was being saved.'
    return error instanceof MachineError ? error.message : 'The disk could not be saved.'
  }

  /** Removes doomed disks in the background. */
  removeDoomedSoon(): void {
    this.#removal.request()
  }

  async #removeDoomed(): Promise<void> {
    const { db, identity, keeper } = this.#parts
    const rows = await doomedDisks(db, identity.nodeId)
    if (rows.length === 0) return
    // Read after the state of the disks: no machine is created from a disk that is doomed already.
    const used = await disksInUse(db, identity.nodeId)
    for (const row of rows) {
      const snapshots = keeper.engines.get(row.engine)?.snapshots
      if (!snapshots || used.has(row.id) || this.#held.has(row.id)) continue
      await this.#removal.remove(snapshots, row, id => forgetDisk(db, id))
    }
  }

  /** Removes the disks of an engine that no row refers to, those that are doomed, and those that were left incomplete. */
  async settle(engine: Engine): Promise<void> {
    const { db, identity } = this.#parts
    if (!engine.snapshots) return
    const listed = await engine.snapshots.list()
    const known = await diskIdsOf(db, identity.nodeId, engine.name)
    const ledgers = await selectLedgers(db, identity.nodeId, engine)
    for (const disk of listed) {
      if (this.#held.has(disk.id)) continue
      const ledger = ledgers.of(disk)
      const belonging = belongingOf(disk, engine.scope, known.has(disk.id), ledger, this.#parts.leftAlone)
      if (belonging === 'forgotten') await this.#removeForgotten(engine.snapshots, disk)
      else if (belonging !== 'claimed' && belonging !== 'neighbour') this.#leaveAlone(disk, belonging)
    }
    await this.begin()
    this.removeDoomedSoon()
  }

  async #removeForgotten(snapshots: Snapshots, { id, handle }: ListedSnapshot): Promise<void> {
    const { db, identity, log } = this.#parts
    try {
      if ((await idsElsewhere(db, 'saved_disks', identity.nodeId, [id])).size > 0) return
      await snapshots.remove(handle)
      log.warn({ disk: id }, 'a saved disk that nothing refers to was removed')
    } catch (error) {
      log.warn({ disk: id, error }, 'a saved disk that nothing refers to could not be removed yet')
    }
  }

  #leaveAlone({ id, owner }: ListedSnapshot, reason: string): void {
    const { leftAlone, log } = this.#parts
    if (reason === 'newer' && !leftAlone.has(id)) {
      leftAlone.add(id)
      leftAlone.flush()
    }
    if (this.#unclaimed.has(id)) return
    this.#unclaimed.add(id)
    log.warn({ disk: id, reason, owner }, 'a saved disk that is not in the database is left alone')
  }

  /** Aborts what is being saved, and waits until that has been recorded. */
  close(): Promise<void> {
    return this.#removal.close()
  }
}
