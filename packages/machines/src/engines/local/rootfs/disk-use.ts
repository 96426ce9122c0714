import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskName } from '../machine-paths.ts'
import type { Settings } from '../options.ts'

const MiB = 1024 * 1024

/** How much of the host's disk the disks of machines use now, and how much they may grow to. */
export interface DiskUse {
  readonly takenMiB: number
  readonly promisedMiB: number
}

/**
 * Returns the use of one disk. Undefined if it does not exist, for example while its machine is being created or
 * removed.
 */
export async function useOfDisk(path: string): Promise<DiskUse | undefined> {
  const found = await stat(path).catch(() => undefined)
  // stat counts blocks of 512 bytes, whatever the block size of the file system.
  return found && { takenMiB: (found.blocks * 512) / MiB, promisedMiB: found.size / MiB }
}

/** Returns the use of all disks in a folder, without what these were promised. */
async function useOfFolder(folder: string, unpromised: ReadonlySet<string>): Promise<DiskUse> {
  const ids = await readdir(folder).catch(() => [])
  const sum = { takenMiB: 0, promisedMiB: 0 }
  await Promise.all(
    ids.map(async id => {
      const use = await useOfDisk(join(folder, id, diskName))
      sum.takenMiB += use?.takenMiB ?? 0
      if (!unpromised.has(id)) sum.promisedMiB += use?.promisedMiB ?? 0
    }),
  )
  return sum
}

const none: ReadonlySet<string> = new Set()

export const useOfMachines = (settings: Settings, unpromised = none) =>
  useOfFolder(settings.machinesDir, unpromised)

export const useOfPrepared = (settings: Settings) => useOfFolder(settings.preparedDir, none)
