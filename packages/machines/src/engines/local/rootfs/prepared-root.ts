import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { MachineSpec } from '../../../contract/spec.ts'
import { allSettledOrThrow } from '../host/all-settled.ts'
import { type MachinePaths, machinePaths, preparedPaths } from '../machine-paths.ts'
import { applyPolicy, createNetwork, preparedEgress, removeUnusedNetwork } from '../network/network.ts'
import { sharedRange, type UidRange, uidRangeOf } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import { claimIndex, indexOf, type Lower, releaseIndex } from '../records.ts'
import { type Ender, endCommands, endProcesses } from '../remove-machine.ts'
import { forgetShared, moveShared } from '../storage/shared-blocks.ts'
import { createDisk, type DiskKind } from './create-disk.ts'
import { unmountBelow } from './mounts.ts'
import { removeTree } from './remove-tree.ts'
import { type RootOwner, rootfsCommand } from './rootfs.ts'

/** What must match for a prepared root to be usable by a machine. */
export interface RootKind extends DiskKind {
  readonly lower: Lower
}

/** The disk and root of a future machine, with the index, and therefore the uid range, that it will have. */
export interface PreparedRoot {
  readonly name: string
  readonly index: number
  /** Of what kind the container is that waits in it, if one does. */
  readonly waiting?: string
}

export const rangeOf = (settings: Settings, lower: Lower, index: number): UidRange =>
  lower.mapped ? uidRangeOf(settings, index) : sharedRange

/** Machines that share a range still have accounts of their own. */
export const ownerOf = (settings: Settings, lower: Lower, index: number): RootOwner => ({
  account: uidRangeOf(settings, index).base,
  range: rangeOf(settings, lower, index),
  mapped: lower.mapped,
})

/**
 * Creates and mounts an empty disk, with a root over the image, and the folders for sockets. Also creates the network of
 * a machine with this policy, unless its runtime does.
 */
export async function createRoot(
  settings: Settings,
  paths: MachinePaths,
  kind: RootKind,
  index: number,
  network: Pick<MachineSpec, 'egress'> | undefined,
): Promise<void> {
  const { lower } = kind
  const owner = ownerOf(settings, lower, index)
  const mount = await rootfsCommand(paths, join(settings.imagesDir, lower.folder), owner)
  const disk = createDisk(settings, paths, kind, owner.range, mount)
  await allSettledOrThrow(network ? [disk, applyPolicy(settings, network, index)] : [disk])
  if (network) await createNetwork(settings, paths, network, index)
}

export async function prepareRoot(ender: Ender, name: string, kind: RootKind): Promise<PreparedRoot> {
  const { settings } = ender
  const paths = preparedPaths(settings, name)
  try {
    await mkdir(paths.home, { recursive: true, mode: 0o700 })
    const index = await claimIndex(settings, name, paths.home)
    await createRoot(settings, paths, kind, index, { egress: preparedEgress })
    return { name, index }
  } catch (error) {
    await removePreparedRoot(ender, name)
    throw error
  }
}

/** Renaming the folder also moves the mounts inside it. */
export async function movePreparedRoot(settings: Settings, name: string, id: string): Promise<void> {
  const [from, to] = [preparedPaths(settings, name), machinePaths(settings, id)]
  await rename(from.run, to.run)
  await mkdir(dirname(to.disk), { recursive: true, mode: 0o700 })
  await moveShared(settings, basename(from.disk), basename(to.disk))
  await rename(from.disk, to.disk)
  await rm(from.home, { recursive: true, force: true })
}

/** Removes everything of a prepared root, in whatever state it is. Its folder is removed last. */
export async function removePreparedRoot(ender: Ender, name: string): Promise<void> {
  const { settings } = ender
  const paths = preparedPaths(settings, name)
  await (existsSync(paths.bundle) ? endProcesses(ender, paths, name) : endCommands(settings, paths))
  const index = await indexOf(settings, name)
  if (index !== undefined) await removeUnusedNetwork(settings, paths, index)
  await unmountBelow(paths.run)
  await removeTree(paths.run)
  await rm(paths.disk, { force: true })
  await forgetShared(settings, basename(paths.disk))
  await releaseIndex(settings, name)
  await rm(paths.home, { recursive: true, force: true })
}
