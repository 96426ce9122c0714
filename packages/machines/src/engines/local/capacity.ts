import { readFile, statfs } from 'node:fs/promises'
import { MachineError } from '../../contract/errors.ts'
import type { Settings } from './options.ts'

/** What a desktop takes on its start, with some room; its limit is more, and rarely used by all at once. */
const startingMemoryMiB = 96
const startingDiskMiB = 64

export interface HostRoom {
  readonly availableMemoryMiB: number
  readonly freeDiskMiB: number
}

export async function hostRoom(settings: Pick<Settings, 'dataDir'>): Promise<HostRoom> {
  const [memory, disk] = await Promise.all([readFile('/proc/meminfo', 'utf8'), statfs(settings.dataDir)])
  return {
    availableMemoryMiB: Math.floor(Number(/^MemAvailable:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024),
    freeDiskMiB: Math.floor((disk.bavail * disk.bsize) / 1024 / 1024),
  }
}

/** How many further desktops the host has room for now. */
export function roomFor(room: HostRoom, settings: Settings): number {
  const byMemory = (room.availableMemoryMiB - settings.reserveMemoryMiB) / startingMemoryMiB
  const byDisk = (room.freeDiskMiB - settings.reserveDiskMiB) / startingDiskMiB
  return Math.max(0, Math.floor(Math.min(byMemory, byDisk)))
}

/** Counts creates that are under way, because the memory that they will take does not show yet. */
export class Capacity {
  readonly #settings: Settings
  #starting = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async room(): Promise<number> {
    return Math.max(0, roomFor(await hostRoom(this.#settings), this.#settings) - this.#starting)
  }

  async while<T>(create: () => Promise<T>): Promise<T> {
    this.#starting++
    try {
      const room = await hostRoom(this.#settings)
      if (roomFor(room, this.#settings) < this.#starting) {
        throw new MachineError(
          'NO_CAPACITY',
          `the host has ${room.availableMemoryMiB} MiB of memory and ${room.freeDiskMiB} MiB of disk left, ` +
            'too little for one more machine; delete some, or try again later',
        )
      }
      return await create()
    } finally {
      this.#starting--
    }
  }
}
