import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

const MiB = 1024 * 1024

export interface DiskSpaceParts {
  /** Folders that may be on different disks; the one with the least free space counts. */
  readonly folders: readonly string[]
  readonly reserveMiB: number
  readonly registry: Registry
  readonly log: Logger
}

/** Watches the free space of the data directory, and tells once when it falls below the reserve and once when it is back. */
export class DiskSpace {
  readonly #parts: DiskSpaceParts
  #freeBytes = Number.POSITIVE_INFINITY
  #isLow = false

  constructor(parts: DiskSpaceParts) {
    this.#parts = parts
    const look = () => this.look()
    new Gauge({
      name: 'sandglass_disk_free_bytes',
      help: 'Free space on the disk of the data directory.',
      registers: [parts.registry],
      async collect() {
        this.set(await look())
      },
    })
  }

  /** Why the service cannot store anything safely, as it was when the disk was last looked at. */
  problem(): string | undefined {
    if (!this.#isLow) return undefined
    const freeMiB = Math.floor(this.#freeBytes / MiB)
    return (
      `The disk of the data directory is nearly full: ${freeMiB} MiB are free, and SANDGLASS_DISK_RESERVE is ` +
      `${this.#parts.reserveMiB} MiB. Delete sandboxes, or free space on the disk.`
    )
  }

  /** Tells the free bytes. */
  async look(): Promise<number> {
    const { folders, reserveMiB, log } = this.#parts
    this.#freeBytes = Math.min(...(await Promise.all(folders.map(freeBytes))))
    const isLow = this.#freeBytes < reserveMiB * MiB
    if (isLow === this.#isLow) return this.#freeBytes
    this.#isLow = isLow
    if (isLow) log.error({ freeBytes: this.#freeBytes }, this.problem())
    else
      log.info({ freeBytes: this.#freeBytes }, 'The disk of the data directory has enough free space again.')
    return this.#freeBytes
  }
}

/** A folder that is not there yet takes no space. */
async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Number.POSITIVE_INFINITY
    throw error
  }
}
