import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Abortable } from '../../../contract/abortable.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineHandle } from '../../../contract/handle.ts'
import type {
  ListedSnapshot,
  SnapshotHandle,
  SnapshotSpec,
  Snapshots,
  TakenSnapshot,
} from '../../../contract/snapshots.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import { engineName, idOf } from '../handle.ts'
import { requireRoom } from '../host/host-room.ts'
import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import type { MachineRecord } from '../records.ts'
import { canClone } from './can-clone.ts'
import { withSpaceFor } from './disk-space.ts'
import { saveDisk } from './save-disk.ts'
import {
  claimSaved,
  listSaved,
  readSaved,
  removeSaved,
  type SavedRecord,
  savedDiskPath,
  writeSaved,
} from './saved-records.ts'
import { noteShared, sharedMiB } from './shared-blocks.ts'

const MiB = 1024 * 1024
const version = 1
const noSpace =
  'The host has no space for the snapshot: its disk is promised to machines. Delete sandboxes or images, or ask the operator to add disk.'

/** What snapshots need of the engine. */
export interface SnapshotEngine {
  readonly settings: Settings
  /** Runs work on a machine while nothing else changes it. */
  withMachine<T>(id: string, work: (record: MachineRecord) => Promise<T>): Promise<T>
  createFrom(saved: SavedRecord, spec: MachineSpec, signal?: AbortSignal): Promise<MachineHandle>
  restoreTo(saved: SavedRecord, handle: MachineHandle, signal?: AbortSignal): Promise<void>
  /** Removes what was prepared for machines of a saved disk. */
  forget(savedId: string): Promise<void>
}

/** Disks of machines that were saved. Where the file system can, a saved disk shares its content with the machine's. */
export class LocalSnapshots implements Snapshots {
  readonly #engine: SnapshotEngine

  constructor(engine: SnapshotEngine) {
    this.#engine = engine
  }

  async take(
    machine: MachineHandle,
    { id, owner }: SnapshotSpec,
    { signal }: Abortable = {},
  ): Promise<TakenSnapshot> {
    signal?.throwIfAborted()
    requireId(id)
    const { settings } = this.#engine
    return await this.#engine.withMachine(idOf(machine), async record => {
      const { spec, image, lower, range, diskBase = range.base } = record
      const saved: SavedRecord = {
        version,
        id,
        ...(owner && { owner }),
        imageName: spec.image,
        image,
        lower,
        base: diskBase,
        diskMiB: spec.diskMiB,
        complete: false,
      }
      await claimSaved(settings, saved)
      try {
        const taken = await this.#save(record, savedDiskPath(settings, id))
        signal?.throwIfAborted()
        await writeSaved(settings, { ...saved, complete: true })
        return { handle: snapshotHandle(id), ...taken }
      } catch (error) {
        await removeSaved(settings, id)
        throw error
      }
    })
  }

  /**
   * Whatever the machine changes from now on takes space beside what was saved, so there must be some. It is made before the
   * disk is cloned, because a machine that cannot write loses data.
   */
  async #save({ spec }: MachineRecord, target: string): Promise<{ pauseMs: number; sizeMiB: number }> {
    const { settings } = this.#engine
    const paths = machinePaths(settings, spec.id)
    const disk = basename(paths.disk)
    if (!canClone(settings.disksDir)) {
      await requireRoom(settings, await occupiedMiB(paths.disk), noSpace)
      return await saveDisk(settings, paths, target)
    }
    const before = await sharedMiB(settings.disksDir, disk)
    await noteShared(settings, disk, Math.max(before, await occupiedMiB(paths.disk)))
    try {
      await requireRoom(settings, 0, noSpace)
      const saved = await withSpaceFor(settings, 0, () => saveDisk(settings, paths, target))
      // The machine may have written more before the moment at which the disk was cloned.
      await noteShared(settings, disk, Math.max(before, saved.sizeMiB))
      return await withSpaceFor(settings, 0, async () => saved)
    } catch (error) {
      await noteShared(settings, disk, before)
      throw error
    }
  }

  async create(
    snapshot: SnapshotHandle,
    spec: MachineSpec,
    { signal }: Abortable = {},
  ): Promise<MachineHandle> {
    const saved = await this.#require(snapshot)
    if (spec.image !== saved.imageName || spec.diskMiB !== saved.diskMiB)
      throw new MachineError(
        'INVALID',
        `machines of this snapshot have the image ${saved.imageName} and a disk of ${saved.diskMiB} MiB`,
      )
    return await this.#engine.createFrom(saved, spec, signal)
  }

  async restore(machine: MachineHandle, snapshot: SnapshotHandle, { signal }: Abortable = {}): Promise<void> {
    await this.#engine.restoreTo(await this.#require(snapshot), machine, signal)
  }

  async remove(snapshot: SnapshotHandle): Promise<void> {
    const id = savedIdOf(snapshot)
    await this.#engine.forget(id)
    await removeSaved(this.#engine.settings, id)
  }

  async list(): Promise<ListedSnapshot[]> {
    const { settings } = this.#engine
    const ids = await listSaved(settings)
    return await Promise.all(
      ids.map(async id => ({
        id,
        handle: snapshotHandle(id),
        owner: (await readSaved(settings, id))?.owner,
        sizeMiB: Math.ceil(await occupiedMiB(savedDiskPath(settings, id))),
      })),
    )
  }

  async #require(snapshot: SnapshotHandle): Promise<SavedRecord> {
    const id = savedIdOf(snapshot)
    const record = await readSaved(this.#engine.settings, id)
    if (!record?.complete) throw new MachineError('NOT_FOUND', `there is no snapshot ${id}`)
    return record
  }
}

async function occupiedMiB(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return ((found?.blocks ?? 0) * 512) / MiB
}

const snapshotHandle = (id: string): SnapshotHandle => ({ engine: engineName, version, state: { id } })

function savedIdOf({ engine, state }: SnapshotHandle): string {
  const id = typeof state === 'object' && state !== null && 'id' in state ? state.id : undefined
  if (engine !== engineName || typeof id !== 'string')
    throw new MachineError('INVALID', 'this is not a snapshot of the local engine')
  requireId(id)
  return id
}

function requireId(id: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id))
    throw new MachineError('INVALID', 'id is 1 to 40 lower-case letters, digits and -, and starts with no -')
}
