import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { MachineOwner } from '../../../contract/spec.ts'
import { diskName, disksOfVolumes } from '../machine-paths.ts'
import type { Settings } from '../options.ts'

/** The persistent record of a volume. It is there before the disk and after it, and the disk is there once it is complete. */
export interface VolumeRecord {
  readonly version: 1
  readonly id: string
  readonly owner?: MachineOwner
  /** The first of the user ids that own the files on its disk. */
  readonly base: number
}

export const volumeDiskPath = (settings: Pick<Settings, 'disksDir'>, id: string): string =>
  join(disksOfVolumes(settings), diskName(id))

export const hasVolume = (settings: Settings, id: string): boolean => existsSync(volumeDiskPath(settings, id))

const recordPath = ({ volumesDir }: Settings, id: string) => join(volumesDir, `${id}.json`)

/** It is written to the disk of the host at once, because what users keep for longest must not be lost with a power failure. */
export async function writeVolume(settings: Settings, record: VolumeRecord): Promise<void> {
  await mkdir(settings.volumesDir, { recursive: true, mode: 0o700 })
  await mkdir(disksOfVolumes(settings), { recursive: true, mode: 0o700 })
  const path = recordPath(settings, record.id)
  await writeFile(`${path}.new`, JSON.stringify(record), { flush: true })
  await rename(`${path}.new`, path)
}

export async function readVolume(settings: Settings, id: string): Promise<VolumeRecord | undefined> {
  try {
    return JSON.parse(await readFile(recordPath(settings, id), 'utf8')) as VolumeRecord
  } catch {
    return undefined
  }
}

/** Removes the files of a volume. The record goes last, so that an interrupted removal can be repeated. */
export async function removeVolumeFiles(settings: Settings, id: string): Promise<void> {
  const disk = volumeDiskPath(settings, id)
  for (const path of [`${disk}.part`, disk, `${recordPath(settings, id)}.new`, recordPath(settings, id)])
    await rm(path, { force: true })
}

/** Lists volumes that have a record or a disk. */
export async function listVolumeIds(settings: Settings): Promise<string[]> {
  const namesIn = async (folder: string, ending: string) =>
    (await readdir(folder).catch(() => []))
      .filter(name => name.endsWith(ending))
      .map(name => basename(name, ending))
  const ids = await Promise.all([
    namesIn(settings.volumesDir, '.json'),
    namesIn(disksOfVolumes(settings), '.ext4'),
  ])
  return [...new Set(ids.flat())]
}
