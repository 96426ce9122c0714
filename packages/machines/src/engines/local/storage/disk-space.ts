import { statfs } from 'node:fs/promises'
import type { DiskSpace } from '../../../contract/engine.ts'
import type { Settings } from '../options.ts'
import { sumOf, usesOfMachines, usesOfPrepared } from '../rootfs/disk-use.ts'
import { makeSpace } from './disk-volume.ts'

/** What disks that are being created will take, by the folder that they are in. */
const reserved = new Map<string, number>()

/**
 * Runs the work that creates a disk or clones one, when there is space for what it will take, and for what all disks that
 * exist were promised.
 */
export async function withSpaceFor<T>(
  settings: Settings,
  diskMiB: number,
  work: () => Promise<T>,
): Promise<T> {
  const { disksDir } = settings
  const add = (amount: number) => reserved.set(disksDir, (reserved.get(disksDir) ?? 0) + amount)
  add(diskMiB)
  try {
    await makeSpace(settings, await neededMiB(settings))
    return await work()
  } finally {
    add(-diskMiB)
  }
}

async function neededMiB(settings: Settings): Promise<number> {
  const uses = await Promise.all([usesOfMachines(settings), usesOfPrepared(settings)])
  const [machines, prepared] = [sumOf(uses[0]), sumOf(uses[1])]
  const outstanding = machines.promisedMiB - machines.takenMiB + prepared.promisedMiB - prepared.takenMiB
  return (outstanding + (reserved.get(settings.disksDir) ?? 0)) / Math.max(1, settings.diskOvercommit)
}

/** Returns the size of the file system that has the disks, which is a volume or that of the host. */
export async function diskSpaceOf({ disksDir }: Pick<Settings, 'disksDir'>): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(disksDir)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
