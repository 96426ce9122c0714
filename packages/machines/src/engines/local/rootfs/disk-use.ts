import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { disksOfMachines, disksOfPrepared, disksOfVolumes } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { sharedMiB } from '../storage/shared-blocks.ts'

const MiB = 1024 * 1024

/** How much of the host's disk the disks of machines use now, and how much they may grow to. */
export interface DiskUse {
  readonly takenMiB: number
  readonly promisedMiB: number
}

/**
 * Returns the use of one disk. Undefined if it does not exist, for example while its machine is being created or
 * removed. What it shares with another disk does not count as taken: if the machine writes there, it takes space elsewhere.
 */
export async function useOfDisk(path: string): Promise<DiskUse | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  const shared = await sharedMiB(dirname(dirname(path)), basename(path))
  // stat counts blocks of 512 bytes, whatever the block size of the file system.
  return { takenMiB: Math.max(0, (found.blocks * 512) / MiB - shared), promisedMiB: found.size / MiB }
}

/** Returns the use of all disks in a folder, without what these were promised. */
async function useOfFolder(folder: string, unpromised: ReadonlySet<string>): Promise<DiskUse> {
  const names = await readdir(folder).catch(() => [])
  const sum = { takenMiB: 0, promisedMiB: 0 }
  await Promise.all(
    names.map(async name => {
      const use = await useOfDisk(join(folder, name))
      sum.takenMiB += use?.takenMiB ?? 0
      if (!unpromised.has(basename(name, '.ext4'))) sum.promisedMiB += use?.promisedMiB ?? 0
    }),
  )
  return sum
}

const none: ReadonlySet<string> = new Set()

/** Returns the use of the disks of machines, and of the volumes, which are promised in the same way. */
export async function useOfMachines(settings: Settings, unpromised = none): Promise<DiskUse> {
  const [machines, volumes] = await Promise.all([
    useOfFolder(disksOfMachines(settings), unpromised),
    useOfFolder(disksOfVolumes(settings), none),
  ])
  return {
    takenMiB: machines.takenMiB + volumes.takenMiB,
    promisedMiB: machines.promisedMiB + volumes.promisedMiB,
  }
}

export const useOfPrepared = (settings: Settings) => useOfFolder(disksOfPrepared(settings), none)
