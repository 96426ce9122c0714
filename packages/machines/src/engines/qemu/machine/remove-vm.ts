import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { machinePaths } from '../../local/machine-paths.ts'
import { detachNetwork } from '../../local/network/network.ts'
import { indexOf, readRecord, releaseIndex } from '../../local/records.ts'
import { type Ender, endProcesses } from '../../local/remove-machine.ts'
import { unmountBelow } from '../../local/rootfs/mounts.ts'
import { removeTree } from '../../local/rootfs/remove-tree.ts'
import { forgetShared } from '../../local/storage/shared-blocks.ts'
import type { VmRecord } from '../records.ts'
import { forgetSuspended } from './suspended.ts'

/** Ends QEMU and takes the network away. The disk stays. */
export async function endVm(ender: Ender, id: string): Promise<void> {
  const { settings } = ender
  const record = await readRecord<VmRecord>(settings, id)
  await endProcesses(ender, machinePaths(settings, id), id)
  const index = record?.index ?? (await indexOf(settings, id))
  if (index !== undefined) await detachNetwork(settings, record?.spec ?? {}, index)
}

/**
 * Removes everything of a machine, in whatever state it is. Its folder is removed last, so that an interrupted removal can be
 * repeated.
 */
export async function removeVm(ender: Ender, id: string): Promise<void> {
  const { settings } = ender
  const paths = machinePaths(settings, id)
  await endVm(ender, id)
  await unmountBelow(paths.run)
  await rm(paths.disk, { force: true })
  await rm(`${paths.disk}.part`, { force: true })
  await forgetShared(settings, basename(paths.disk))
  await forgetSuspended(settings, id)
  await removeTree(paths.run)
  await releaseIndex(settings, id)
  await rm(paths.home, { recursive: true, force: true })
}
