import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type MachinePaths, machinePaths, preparedPaths } from '../machine-paths.ts'
import { sharedRange, type UidRange, uidRangeOf } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import { claimIndex, type Lower, releaseIndex } from '../records.ts'
import { endCommands } from '../remove-machine.ts'
import { formatDisk, mountDisk } from './disk.ts'
import { unmountBelow } from './mounts.ts'
import { removeTree } from './remove-tree.ts'
import { createIdentityFiles, mountRootfs, type RootOwner } from './rootfs.ts'
import { createSocketFolders } from './socket-folders.ts'

/** What must match for a prepared root to be usable by a machine. */
export interface RootKind {
  readonly lower: Lower
  readonly diskMiB: number
}

/** The disk and root of a future machine, with the index, and therefore the uid range, that it will have. */
export interface PreparedRoot {
  readonly name: string
  readonly index: number
}

export const rangeOf = (settings: Settings, lower: Lower, index: number): UidRange =>
  lower.mapped ? uidRangeOf(settings, index) : sharedRange

/** Machines that share a range still have accounts of their own. */
export const ownerOf = (settings: Settings, lower: Lower, index: number): RootOwner => ({
  account: uidRangeOf(settings, index).base,
  range: rangeOf(settings, lower, index),
  mapped: lower.mapped,
})

/** Creates and mounts an empty disk, with a root over the image, and the folders for sockets. */
export async function createRoot(
  settings: Settings,
  paths: MachinePaths,
  kind: RootKind,
  index: number,
): Promise<void> {
  const { lower, diskMiB } = kind
  const range = rangeOf(settings, lower, index)
  await formatDisk(paths.disk, diskMiB, settings.diskOvercommit === 1)
  await mountDisk(paths, range)
  await createIdentityFiles(paths, range)
  const folder = join(settings.imagesDir, lower.folder)
  await mountRootfs(paths, folder, ownerOf(settings, lower, index))
  await createSocketFolders(paths)
}

export async function prepareRoot(settings: Settings, name: string, kind: RootKind): Promise<PreparedRoot> {
  const paths = preparedPaths(settings, name)
  try {
    await mkdir(paths.home, { recursive: true, mode: 0o700 })
    const index = await claimIndex(settings, name, paths.home)
    await createRoot(settings, paths, kind, index)
    return { name, index }
  } catch (error) {
    await removePreparedRoot(settings, name)
    throw error
  }
}

/** Renaming the folder also moves the mounts inside it. */
export async function movePreparedRoot(settings: Settings, name: string, id: string): Promise<void> {
  const [from, to] = [preparedPaths(settings, name), machinePaths(settings, id)]
  await rename(from.run, to.run)
  await rename(from.disk, to.disk)
  await rm(from.home, { recursive: true, force: true })
}

/** Removes everything of a prepared root, in whatever state it is. Its folder is removed last. */
export async function removePreparedRoot(settings: Settings, name: string): Promise<void> {
  const paths = preparedPaths(settings, name)
  await endCommands(settings, paths)
  await unmountBelow(paths.run)
  await removeTree(paths.run)
  await rm(paths.disk, { force: true })
  await releaseIndex(settings, name)
  await rm(paths.home, { recursive: true, force: true })
}
