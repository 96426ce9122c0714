import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

const MiB = 1024 * 1024

/** The database, screenshots and machines need some free inodes at any time. */
const minFreeFiles = 1000

export interface DiskSpaceParts {
  /** Folders that may be on different disks. The one with the least free space counts. */
  readonly folders: readonly string[]
  readonly reserveMiB: number
  readonly registry: Registry
  readonly log: Logger
}

interface Free {
  readonly bytes: number
  /** The number of free inodes. */
  readonly files: number
  /** The size of the file system. */
  readonly totalBytes: number
}

const unlimited: Free = {
  bytes: Number.POSITIVE_INFINITY,
  files: Number.POSITIVE_INFINITY,
  totalBytes: Number.POSITIVE_INFINITY,
}

/**
 * Monitors the free space of the data directory. It logs once when the space falls below the reserve and once when it
 * recovers.
 */
export class DiskSpace {
  readonly #parts: DiskSpaceParts
  #free = unlimited
  #isLow = false

  constructor(parts: DiskSpaceParts) {
    this.#parts = parts
    const check = () => this.check()
    const free = () => this.#free
    const registers = [parts.registry]
    new Gauge({
      name: 'sandglass_disk_free_bytes',
      help: 'Free space on the disk of the data directory.',
      registers,
      async collect() {
        this.set(await check())
      },
    })
    new Gauge({
      name: 'sandglass_disk_bytes',
      help: 'The size of the disk of the data directory.',
      registers,
      collect() {
        this.set(free().totalBytes)
      },
    })
    new Gauge({
      name: 'sandglass_disk_free_files',
      help: 'How many more files the disk of the data directory can hold; +Inf if its file system has no limit.',
      registers,
      collect() {
        this.set(free().files)
      },
    })
    new Gauge({
      name: 'sandglass_disk_reserve_bytes',
      help: 'Free space below which no machines are created (SANDGLASS_DISK_RESERVE).',
      registers,
    }).set(parts.reserveMiB * MiB)
  }

  /** Returns why nothing can be stored safely, as of the last check, or undefined. */
  problem(): string | undefined {
    const { reserveMiB } = this.#parts
    const { bytes, files } = this.#free
    if (bytes < reserveMiB * MiB)
      return (
        `The disk of the data directory is nearly full: ${Math.floor(bytes / MiB)} MiB are free, and ` +
        `SANDGLASS_DISK_RESERVE is ${reserveMiB} MiB. Delete sandboxes, or free space on the disk.`
      )
    if (files < minFreeFiles)
      return (
        `The disk of the data directory can hold only ${files} more files, and ${minFreeFiles} must stay free. ` +
        'Delete sandboxes, or remove files from the disk.'
      )
    return undefined
  }

  /** Checks the disk, and returns the number of free bytes. */
  async check(): Promise<number> {
    const { folders, log } = this.#parts
    const all = await Promise.all(folders.map(freeOn))
    const fullest = all.reduce((least, one) => (one.bytes < least.bytes ? one : least), unlimited)
    this.#free = { ...fullest, files: Math.min(...all.map(({ files }) => files)) }
    const problem = this.problem()
    const isLow = problem !== undefined
    if (isLow !== this.#isLow) {
      this.#isLow = isLow
      if (isLow) log.error(this.#free, problem)
      else log.info(this.#free, 'The disk of the data directory has enough free space again.')
    }
    return this.#free.bytes
  }
}

async function freeOn(folder: string): Promise<Free> {
  try {
    const { bavail, blocks, bsize, files, ffree } = await statfs(folder)
    // Some file systems create inodes on demand, and report 0 of 0.
    return {
      bytes: bavail * bsize,
      files: files > 0 ? ffree : Number.POSITIVE_INFINITY,
      totalBytes: blocks * bsize,
    }
  } catch (error) {
    // A folder that does not exist yet takes no space.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return unlimited
    throw error
  }
}
