import { constants, copyFile, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { type MachineRecord, writeRecord } from '../records.ts'
import { unmountBelow } from '../rootfs/mounts.ts'
import { canClone } from './can-clone.ts'
import { copyDisk } from './copy-disk.ts'
import { withSpaceFor } from './disk-space.ts'
import { readSaved, savedDiskPath } from './saved-records.ts'
import { noteShared } from './shared-blocks.ts'

/**
 * Replaces the disk of a machine that does not run by the saved one that its record names, and returns the record as it is
 * then. If it was interrupted, it can be repeated. If the saved disk is gone, the machine keeps the disk that it has.
 */
export async function restoreDisk(settings: Settings, record: MachineRecord): Promise<MachineRecord> {
  const { restoring, ...rest } = record
  if (restoring === undefined) return record
  const saved = await readSaved(settings, restoring)
  try {
    if (saved?.complete) await replaceDisk(settings, record, saved.id)
  } catch (error) {
    // It keeps the old disk, also when it is restarted later.
    await writeRecord(settings, rest)
    throw error
  }
  const restored = saved?.complete ? { ...rest, diskBase: saved.base } : rest
  await writeRecord(settings, restored)
  return restored
}

async function replaceDisk(settings: Settings, { spec }: MachineRecord, savedId: string): Promise<void> {
  const paths = machinePaths(settings, spec.id)
  await unmountBelow(paths.run)
  const part = `${paths.disk}.part`
  await rm(part, { force: true })
  const source = savedDiskPath(settings, savedId)
  const isClone = canClone(settings.disksDir)
  if (isClone) await noteShared(settings, basename(paths.disk), spec.diskMiB)
  try {
    await withSpaceFor(settings, spec.diskMiB, () =>
      isClone
        ? copyFile(source, part, constants.COPYFILE_FICLONE_FORCE)
        : copyDisk(settings, source, part, spec.diskMiB),
    )
    await rename(part, paths.disk)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
