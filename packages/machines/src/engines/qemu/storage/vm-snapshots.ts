import { constants, copyFile, rename, rm } from 'node:fs/promises'
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
import { type MachinePaths, machinePaths } from '../../local/machine-paths.ts'
import { groupOf, isFrozen } from '../../local/oci/cgroups.ts'
import { findInit } from '../../local/oci/init-process.ts'
import { canClone } from '../../local/storage/can-clone.ts'
import { copyDisk } from '../../local/storage/copy-disk.ts'
import { withSpaceFor } from '../../local/storage/disk-space.ts'
import { occupiedMiB, saveShared } from '../../local/storage/save-shared.ts'
import {
  claimSaved,
  listSaved,
  readSaved,
  savedDiskPath,
  writeSaved,
} from '../../local/storage/saved-records.ts'
import { namePattern } from '../../local/validate-spec.ts'
import { handleOf, idOf } from '../handle.ts'
import { hasAgent, processorsOf } from '../machine/command-line.ts'
import { flushGuest } from '../machine/flush-guest.ts'
import { whileStill } from '../machine/pause-guest.ts'
import { saveMemory } from '../machine/save-memory.ts'
import { setClock } from '../machine/set-clock.ts'
import type { VmGround } from '../machine/start-vm.ts'
import type { QemuSettings } from '../options.ts'
import type { VmRecord } from '../records.ts'
import { saveFirmware } from './firmware-files.ts'
import { removeSavedVm, type SavedVm, savedMemoryPath, sizeOfSaved } from './saved-vm.ts'

const saveTimeoutMs = 120_000

/** What snapshots need of the engine. */
export interface SnapshotEngine {
  readonly settings: QemuSettings
  ground(): Promise<VmGround>
  /** Runs work on a machine while nothing else changes it. */
  withMachine<T>(id: string, work: (record: VmRecord) => Promise<T>): Promise<T>
  createFrom(saved: SavedVm, spec: MachineSpec, signal?: AbortSignal): Promise<MachineHandle>
  restoreTo(saved: SavedVm, handle: MachineHandle, signal?: AbortSignal): Promise<void>
}

/** Saved virtual machines: their disks, and their memory if that is wanted. */
export class VmSnapshots implements Snapshots {
  readonly #engine: SnapshotEngine

  constructor(engine: SnapshotEngine) {
    this.#engine = engine
  }

  async take(
    machine: MachineHandle,
    { id, owner, memory = false }: SnapshotSpec,
    { signal }: Abortable = {},
  ): Promise<TakenSnapshot> {
    signal?.throwIfAborted()
    if (!namePattern.test(id))
      throw new MachineError(
        'INVALID',
        'id is 1 to 40 lower-case letters, digits and -, and starts with no -',
      )
    const { settings } = this.#engine
    return await this.#engine.withMachine(idOf(machine), async record => {
      const saved = savedOf(record, id, owner, memory)
      await claimSaved<SavedVm>(settings, saved)
      try {
        const pauseMs = await this.#save(record, saved, signal)
        signal?.throwIfAborted()
        await writeSaved<SavedVm>(settings, { ...saved, complete: true })
        return { handle: handleOf(id), pauseMs, sizeMiB: await sizeOfSaved(settings, id) }
      } catch (error) {
        await removeSavedVm(settings, id)
        throw error
      }
    })
  }

  /** Returns for how long the guest stood still. */
  async #save(record: VmRecord, { id, memory, source }: SavedVm, signal?: AbortSignal): Promise<number> {
    const { settings } = this.#engine
    const { spec } = record
    const ground = await this.#engine.ground()
    const paths = machinePaths(settings, spec.id)
    const clone = () => this.#saveDisk(paths, id, spec.diskMiB)
    if (!(await findInit(paths))) {
      if (memory) throw new MachineError('STATE', 'the machine does not run, so it has no memory to save')
      await clone()
      return 0
    }
    // What is on the disk already need not be written while everything waits.
    if (hasAgent(source.guest)) await flushGuest(ground, spec.id)
    const deadline = AbortSignal.timeout(saveTimeoutMs)
    const end = signal ? AbortSignal.any([signal, deadline]) : deadline
    const still = () =>
      whileStill(
        ground,
        paths,
        spec.id,
        async qmp => {
          await clone()
          if (memory) await saveMemory(settings, record, qmp, savedMemoryPath(settings, id), end)
        },
        end,
      )
    const { pauseMs } = await withSpaceFor(settings, memory ? spec.memoryMiB : 0, still)
    const isPaused = await isFrozen(ground.layout, groupOf(settings.instance, spec.id))
    if (hasAgent(source.guest) && !isPaused) await setClock(ground, spec.id)
    return pauseMs
  }

  async #saveDisk(paths: MachinePaths, id: string, diskMiB: number): Promise<void> {
    const { settings } = this.#engine
    const { disk } = paths
    const target = savedDiskPath(settings, id)
    const part = `${target}.part`
    await saveShared(settings, disk, async () => {
      if (canClone(settings.disksDir)) await copyFile(disk, part, constants.COPYFILE_FICLONE_FORCE)
      else await copyDisk({ diskOvercommit: Number.POSITIVE_INFINITY }, disk, part, diskMiB)
      await rename(part, target)
      await saveFirmware(paths, target)
      return { sizeMiB: await occupiedMiB(target) }
    }).catch(async error => {
      await rm(part, { force: true })
      throw error
    })
  }

  async create(
    snapshot: SnapshotHandle,
    spec: MachineSpec,
    { signal }: Abortable = {},
  ): Promise<MachineHandle> {
    const saved = await this.#require(snapshot)
    requireSame(saved, spec)
    return await this.#engine.createFrom(saved, spec, signal)
  }

  async restore(machine: MachineHandle, snapshot: SnapshotHandle, { signal }: Abortable = {}): Promise<void> {
    await this.#engine.restoreTo(await this.#require(snapshot), machine, signal)
  }

  async remove(snapshot: SnapshotHandle): Promise<void> {
    await removeSavedVm(this.#engine.settings, idOf(snapshot))
  }

  async list(): Promise<ListedSnapshot[]> {
    const { settings } = this.#engine
    return await Promise.all(
      (await listSaved(settings)).map(async id => ({
        id,
        handle: handleOf(id),
        owner: (await readSaved<SavedVm>(settings, id))?.owner,
        sizeMiB: await sizeOfSaved(settings, id),
      })),
    )
  }

  async #require(snapshot: SnapshotHandle): Promise<SavedVm> {
    const id = idOf(snapshot)
    const saved = await readSaved<SavedVm>(this.#engine.settings, id)
    if (!saved?.complete) throw new MachineError('NOT_FOUND', `there is no snapshot ${id}`)
    return saved
  }
}

function savedOf(record: VmRecord, id: string, owner: SnapshotSpec['owner'], memory: boolean): SavedVm {
  const { spec, image, guest, machineType, acceleration } = record
  const { memoryMiB, cpus } = spec
  return {
    version: 1,
    id,
    ...(owner && { owner }),
    imageName: spec.image,
    source: { folder: image, guest },
    diskMiB: spec.diskMiB,
    ...(memory && { memory: { machineType, acceleration, memoryMiB, processors: processorsOf(cpus) } }),
    complete: false,
  }
}

/** A machine continues only with the processors and the memory that it had. */
export function requireSame({ imageName, diskMiB, memory }: SavedVm, spec: MachineSpec): void {
  if (spec.image !== imageName || spec.diskMiB !== diskMiB)
    throw new MachineError(
      'INVALID',
      `machines of this snapshot have the image ${imageName} and a disk of ${diskMiB} MiB`,
    )
  if (memory && (memory.memoryMiB !== spec.memoryMiB || memory.processors !== processorsOf(spec.cpus)))
    throw new MachineError(
      'INVALID',
      `machines of this snapshot have ${memory.processors} processors and ${memory.memoryMiB} MiB of memory`,
    )
}
