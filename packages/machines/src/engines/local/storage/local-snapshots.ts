import type { Abortable } from '../../../contract/abortable.ts'
import type { CreateOptions } from '../../../contract/create-options.ts'
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
import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import type { MachineRecord } from '../records.ts'
import { saveDisk } from './save-disk.ts'
import { occupiedMiB, saveShared } from './save-shared.ts'
import {
  claimSaved,
  listSaved,
  readSaved,
  removeSaved,
  type SavedRecord,
  savedDiskPath,
  writeSaved,
} from './saved-records.ts'

const version = 1

/** What snapshots need of the engine. */
export interface SnapshotEngine {
  readonly settings: Settings
  /** Runs work on a machine while nothing else changes it. */
  withMachine<T>(id: string, work: (record: MachineRecord) => Promise<T>): Promise<T>
  createFrom(saved: SavedRecord, spec: MachineSpec, options: CreateOptions): Promise<MachineHandle>
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
        const paths = machinePaths(settings, spec.id)
        const taken = await saveShared(settings, paths.disk, () =>
          saveDisk(settings, paths, savedDiskPath(settings, id)),
        )
        signal?.throwIfAborted()
        await writeSaved(settings, { ...saved, complete: true })
        return { handle: snapshotHandle(id), ...taken }
      } catch (error) {
        await removeSaved(settings, id)
        throw error
      }
    })
  }

  async create(
    snapshot: SnapshotHandle,
    spec: MachineSpec,
    options: CreateOptions = {},
  ): Promise<MachineHandle> {
    const saved = await this.#require(snapshot)
    if (spec.image !== saved.imageName || spec.diskMiB !== saved.diskMiB)
      throw new MachineError(
        'INVALID',
        `machines of this snapshot have the image ${saved.imageName} and a disk of ${saved.diskMiB} MiB`,
      )
    return await this.#engine.createFrom(saved, spec, options)
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
