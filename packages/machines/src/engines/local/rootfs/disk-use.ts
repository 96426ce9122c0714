import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { disksOfMachines, disksOfPrepared, disksOfVolumes } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { notedShared, sharedMiB } from '../storage/shared-blocks.ts'

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
export async function useOfDisk(path: string, isNoted = true): Promise<DiskUse | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  const shared = isNoted ? await sharedMiB(dirname(dirname(path)), basename(path)) : 0
  // stat counts blocks of 512 bytes, whatever the block size of the file system.
  return { takenMiB: Math.max(0, (found.blocks * 512) / MiB - shared), promisedMiB: found.size / MiB }
}

/** The use of disks by the ids of what they belong to. */
export type DiskUses = ReadonlyMap<string, DiskUse>

/** Adds up the use of disks, without what these were promised. */
export function sumOf(uses: DiskUses, unpromised: ReadonlySet<string> = new Set()): DiskUse {
  const sum = { takenMiB: 0, promisedMiB: 0 }
  for (const [id, { takenMiB, promisedMiB }] of uses) {
    sum.takenMiB += takenMiB
    if (!unpromised.has(id)) sum.promisedMiB += promisedMiB
  }
  return sum
}

async function usesIn(folder: string): Promise<DiskUses> {
  const names = await readdir(folder).catch(() => [])
  const uses = new Map<string, DiskUse>()
  const noted = await notedShared(dirname(folder))
  await Promise.all(
    names.map(async name => {
      const use = await useOfDisk(join(folder, name), noted.has(name))
      if (use) uses.set(basename(name, '.ext4'), use)
    }),
  )
  return uses
}

/** Returns the use of the disks of machines, and of the volumes, which are promised in the same way. */
export async function usesOfMachines(settings: Settings): Promise<DiskUses> {
  const [machines, volumes] = await Promise.all([
    usesIn(disksOfMachines(settings)),
    usesIn(disksOfVolumes(settings)),
  ])
  return new Map([...machines, ...volumes])
}

export const usesOfPrepared = (settings: Settings) => usesIn(disksOfPrepared(settings))
