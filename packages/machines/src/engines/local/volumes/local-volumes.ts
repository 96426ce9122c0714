import { open, rename, rm } from 'node:fs/promises'
import { KeyedMutex } from '@sandglass/supervision'
import type { Abortable } from '../../../contract/abortable.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import type {
  ListedVolume,
  VolumeHandle,
  VolumeMount,
  VolumeSpec,
  Volumes,
} from '../../../contract/volumes.ts'
import { engineName } from '../handle.ts'
import { requireRoom } from '../host/host-room.ts'
import { runCommand } from '../host/run-command.ts'
import { sharedRange, volumeRange } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import { listIds, readRecord } from '../records.ts'
import { allocatedBytes, formatDisk } from '../rootfs/disk.ts'
import { mapsOwners } from '../rootfs/lower.ts'
import { withSpaceFor } from '../storage/disk-space.ts'
import { namePattern } from '../validate-spec.ts'
import { mountedVolumes, unmountUnusedVolume } from './volume-mounts.ts'
import {
  hasVolume,
  listVolumeIds,
  readVolume,
  removeVolumeFiles,
  volumeDiskPath,
  writeVolume,
} from './volume-records.ts'
import { usedMiBOf } from './volume-use.ts'

const version = 1
const noSpace =
  'The host has no space for the volume. Delete sandboxes, images or volumes, or ask the operator to add disk.'

/**
 * Volumes of machines. Each is a disk like those of machines, with a file system of the size of the volume. Its files have user
 * ids of their own there, and each machine sees them with its own.
 */
export class LocalVolumes implements Volumes {
  readonly #settings: Settings
  /** What changes one volume happens one after the other. */
  readonly #mutex = new KeyedMutex()
  /** Decisions about who has volumes, and about space for them, are made one after the other. */
  readonly #deciding = new KeyedMutex()
  /** The volumes of machines that are being created, and that may have no record yet. */
  readonly #claims = new Map<string, readonly VolumeMount[]>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async create({ id, sizeMiB, owner }: VolumeSpec, { signal }: Abortable = {}): Promise<VolumeHandle> {
    requireId(id)
    if (!Number.isInteger(sizeMiB) || sizeMiB < 64 || sizeMiB > 1 << 24)
      throw new MachineError('INVALID', 'sizeMiB must be a whole number of at least 64')
    // One after the other, because each needs to know what the others take.
    return await this.#deciding.run('space', () =>
      this.#mutex.run(id, async () => {
        signal?.throwIfAborted()
        if (!hasVolume(this.#settings, id)) await this.#create({ id, sizeMiB, ...(owner && { owner }) })
        return volumeHandle(id)
      }),
    )
  }

  async #create({ id, sizeMiB, owner }: VolumeSpec): Promise<void> {
    const { base } = (await mapsOwners(this.#settings)) ? volumeRange : sharedRange
    await writeVolume(this.#settings, { version, id, ...(owner && { owner }), base })
    try {
      await requireRoom(this.#settings, sizeMiB, noSpace)
      await withSpaceFor(this.#settings, sizeMiB, () => this.#makeDisk(id, sizeMiB))
    } catch (error) {
      await removeVolumeFiles(this.#settings, id)
      throw error
    }
  }

  async #makeDisk(id: string, sizeMiB: number): Promise<void> {
    const { diskOvercommit } = this.#settings
    const disk = volumeDiskPath(this.#settings, id)
    const part = `${disk}.part`
    await rm(part, { force: true })
    await formatDisk(part, sizeMiB)
    const bytes = allocatedBytes(sizeMiB, diskOvercommit === 1)
    await runCommand('fallocate', ['--length', String(bytes), part]).catch(cause => {
      throw new MachineError('HOST_FULL', noSpace, { cause })
    })
    const file = await open(part)
    try {
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(part, disk)
  }

  async remove(volume: VolumeHandle): Promise<void> {
    const id = volumeIdOf(volume)
    await this.#deciding.run('claims', async () => {
      if ((await this.#usersOf(id)).length > 0)
        throw new MachineError('STATE', `a machine has the volume ${id}; destroy the machine first`)
      await this.#mutex.run(id, async () => {
        await unmountUnusedVolume(this.#settings, id)
        await removeVolumeFiles(this.#settings, id)
      })
    })
  }

  async list(): Promise<ListedVolume[]> {
    const [ids, mounts] = await Promise.all([listVolumeIds(this.#settings), mountedVolumes(this.#settings)])
    return await Promise.all(
      ids.map(async id => ({
        id,
        handle: volumeHandle(id),
        owner: (await readVolume(this.#settings, id))?.owner,
        usedMiB: await usedMiBOf(volumeDiskPath(this.#settings, id), mounts.get(id)),
      })),
    )
  }

  /** Creates a machine that has the volumes of its spec. Fails if there is none of them, or if others have them in a way that excludes it. */
  async during<T>({ id, volumes = [] }: MachineSpec, create: () => Promise<T>): Promise<T> {
    if (volumes.length === 0) return await create()
    await this.#deciding.run('claims', async () => {
      for (const volume of volumes) await this.#requireFree(volume, id)
      this.#claims.set(id, volumes)
    })
    try {
      // From here to its end, the machine's record says the same.
      return await create()
    } finally {
      this.#claims.delete(id)
    }
  }

  async #requireFree({ id, readOnly = false }: VolumeMount, machine: string): Promise<void> {
    if (!hasVolume(this.#settings, id)) throw new MachineError('NOT_FOUND', `there is no volume ${id}`)
    const others = await this.#usersOf(id, machine)
    if (others.length === 0 || (readOnly && others.every(other => other.readOnly === true))) return
    throw new MachineError(
      'STATE',
      `another machine has the volume ${id}; either one machine can write to it, or several can read`,
    )
  }

  async #usersOf(id: string, except?: string): Promise<VolumeMount[]> {
    const specs = await Promise.all(
      (await listIds(this.#settings)).map(async machine => {
        const record = await readRecord(this.#settings, machine)
        return [machine, record?.spec.volumes ?? []] as const
      }),
    )
    return [...specs, ...this.#claims]
      .filter(([machine]) => machine !== except)
      .flatMap(([, volumes]) => volumes.filter(volume => volume.id === id))
  }
}

const volumeHandle = (id: string): VolumeHandle => ({ engine: engineName, version, state: { id } })

function volumeIdOf({ engine, state }: VolumeHandle): string {
  const id = typeof state === 'object' && state !== null && 'id' in state ? state.id : undefined
  if (engine !== engineName || typeof id !== 'string')
    throw new MachineError('INVALID', 'this is not a volume of the local engine')
  requireId(id)
  return id
}

function requireId(id: string): void {
  if (!namePattern.test(id))
    throw new MachineError('INVALID', 'id is 1 to 40 lower-case letters, digits and -, and starts with no -')
}
