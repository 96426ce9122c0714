import { createReadStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { z } from 'zod'
import { MachineError } from '../../../contract/errors.ts'
import type { KeptDescription, KeptSpec } from '../../../contract/transfer.ts'
import type { Settings } from '../options.ts'
import { chooseLower, mapsOwners } from '../rootfs/lower.ts'
import { withSpaceFor } from '../storage/disk-space.ts'
import { occupiedMiB } from '../storage/save-shared.ts'
import {
  claimSaved,
  readSaved,
  removeSaved,
  type SavedRecord,
  savedDiskPath,
  writeSaved,
} from '../storage/saved-records.ts'
import type { TransferOfKind } from './local-transfer.ts'
import { writeDisk } from './write-disk.ts'

const pieceBytes = 4 * 1024 * 1024

const About = z.object({
  imageName: z.string(),
  image: z.string(),
  base: z.int(),
  diskMiB: z.int(),
  mapped: z.boolean(),
  occupiedMiB: z.number(),
})

/** Saved disks. */
export class DiskTransfer implements TransferOfKind {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async describe(id: string): Promise<KeptDescription | undefined> {
    const saved = await readSaved(this.#settings, id)
    const path = savedDiskPath(this.#settings, id)
    if (!saved?.complete || !existsSync(path)) return undefined
    const { imageName, image, base, diskMiB, lower } = saved
    const size = Math.ceil(await occupiedMiB(path))
    return {
      about: { imageName, image, base, diskMiB, mapped: lower.mapped, occupiedMiB: size },
      base: image,
      occupiedMiB: size,
    }
  }

  async read<T>(id: string, use: (content: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    return await use(createReadStream(savedDiskPath(this.#settings, id), { highWaterMark: pieceBytes }))
  }

  /** The user ids on a disk are those that its machines had, which hosts of the other kind cannot give to theirs. */
  async requireUsable({ id, about }: KeptSpec): Promise<void> {
    const { mapped } = parse(id, about)
    await mkdir(this.#settings.imagesDir, { recursive: true, mode: 0o755 })
    if ((await mapsOwners(this.#settings)) !== mapped)
      throw new MachineError(
        'INVALID',
        `The saved disk ${id} is from a host ${mapped ? 'with' : 'without'} idmapped mounts, and this host is of the other kind.`,
      )
  }

  async write({ id, owner, about }: KeptSpec, content: AsyncIterable<Uint8Array>): Promise<void> {
    const settings = this.#settings
    const { imageName, image, base, diskMiB, occupiedMiB: size } = parse(id, about)
    const lower = await chooseLower(settings, image)
    const saved: SavedRecord = {
      version: 1,
      id,
      ...(owner && { owner }),
      imageName,
      image,
      lower,
      base,
      diskMiB,
      complete: false,
    }
    await claimSaved(settings, saved)
    try {
      await withSpaceFor(settings, size, () => writeDisk(savedDiskPath(settings, id), content))
      await writeSaved(settings, { ...saved, complete: true })
    } catch (error) {
      await removeSaved(settings, id)
      throw error
    }
  }
}

function parse(id: string, about: unknown): z.infer<typeof About> {
  const parsed = About.safeParse(about)
  if (!parsed.success)
    throw new MachineError('INVALID', `The description of the saved disk ${id} is damaged.`)
  return parsed.data
}
