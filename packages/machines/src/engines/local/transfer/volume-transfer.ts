import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { MachineError } from '../../../contract/errors.ts'
import type { KeptDescription, KeptSpec } from '../../../contract/transfer.ts'
import { requireRoom } from '../host/host-room.ts'
import { diskName } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { canClone } from '../storage/can-clone.ts'
import { withSpaceFor } from '../storage/disk-space.ts'
import { saveDisk } from '../storage/save-disk.ts'
import { occupiedMiB } from '../storage/save-shared.ts'
import { LocalVolumes } from '../volumes/local-volumes.ts'
import { mountedVolumes } from '../volumes/volume-mounts.ts'
import { hasVolume, readVolume, volumeDiskPath, writeVolume } from '../volumes/volume-records.ts'
import type { TransferOfKind } from './local-transfer.ts'
import { overwriteDisk } from './write-disk.ts'

const MiB = 1024 * 1024
const pieceBytes = 4 * MiB
const noSpace =
  'The host has no space for a copy of the volume. Add disk, or delete sandboxes, images or volumes.'

const About = z.object({ sizeMiB: z.int(), base: z.int() })

/** Volumes, which machines may be writing to while they are read. */
export class VolumeTransfer implements TransferOfKind {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async describe(id: string): Promise<KeptDescription | undefined> {
    const record = await readVolume(this.#settings, id)
    if (!record || !hasVolume(this.#settings, id)) return undefined
    const { size } = await stat(volumeDiskPath(this.#settings, id))
    return { about: { sizeMiB: size / MiB, base: record.base }, occupiedMiB: size / MiB }
  }

  /** Reads a copy, of which the file system clones the content if it can. Programs wait with their writes until it is made. */
  async read<T>(id: string, use: (content: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    const settings = this.#settings
    const disk = volumeDiskPath(settings, id)
    const copies = join(settings.disksDir, 'read')
    const copy = join(copies, diskName(id))
    await mkdir(copies, { recursive: true, mode: 0o700 })
    const diskMount = (await mountedVolumes(settings)).get(id) ?? join(settings.runDir, 'volumes', id)
    const size = await occupiedMiB(disk)
    // What is written to a volume takes space beside its clone.
    await requireRoom(settings, canClone(settings.disksDir) ? 0 : size, noSpace)
    return await withSpaceFor(settings, size, async () => {
      try {
        await saveDisk(settings, { disk, diskMount }, copy)
        return await use(createReadStream(copy, { highWaterMark: pieceBytes }))
      } finally {
        await rm(copy, { force: true })
        await rm(`${copy}.part`, { force: true })
      }
    })
  }

  async requireUsable({ id, about }: KeptSpec): Promise<void> {
    parse(id, about)
  }

  async write({ id, owner, about }: KeptSpec, content: AsyncIterable<Uint8Array>): Promise<void> {
    const settings = this.#settings
    const { sizeMiB, base } = parse(id, about)
    const volumes = new LocalVolumes(settings)
    const volume = await volumes.create({ id, sizeMiB, ...(owner && { owner }) })
    try {
      await overwriteDisk(volumeDiskPath(settings, id), content)
      await writeVolume(settings, { version: 1, id, ...(owner && { owner }), base })
    } catch (error) {
      await volumes.remove(volume)
      throw error
    }
  }
}

function parse(id: string, about: unknown): z.infer<typeof About> {
  const parsed = About.safeParse(about)
  if (!parsed.success) throw new MachineError('INVALID', `The description of the volume ${id} is damaged.`)
  return parsed.data
}
