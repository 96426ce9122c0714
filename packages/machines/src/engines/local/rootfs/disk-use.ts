import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../options.ts'
import { diskName } from '../places.ts'

const MiB = 1024 * 1024

/** What the disks of machines take of the host now, and what they may grow to. */
export interface DiskUse {
  readonly takenMiB: number
  readonly promisedMiB: number
}

/** Of one disk. Undefined where there is none, as while its machine is being made or removed. */
export async function useOfDisk(path: string): Promise<DiskUse | undefined> {
  const found = await stat(path).catch(() => undefined)
  // stat counts blocks of 512 bytes, whatever the file system's own are.
  return found && { takenMiB: (found.blocks * 512) / MiB, promisedMiB: found.size / MiB }
}

/** Of all disks in a folder, without those of machines whose ids are given. */
async function useOfFolder(folder: string, without: ReadonlySet<string>): Promise<DiskUse> {
  const ids = (await readdir(folder).catch(() => [])).filter(id => !without.has(id))
  const uses = await Promise.all(ids.map(id => useOfDisk(join(folder, id, diskName))))
  return uses.reduce<DiskUse>(
    (sum, use) => ({
      takenMiB: sum.takenMiB + (use?.takenMiB ?? 0),
      promisedMiB: sum.promisedMiB + (use?.promisedMiB ?? 0),
    }),
    { takenMiB: 0, promisedMiB: 0 },
  )
}

const none: ReadonlySet<string> = new Set()

export const useOfMachines = (settings: Settings, without = none) =>
  useOfFolder(settings.machinesDir, without)

export const useOfPrepared = (settings: Settings) => useOfFolder(settings.preparedDir, none)
