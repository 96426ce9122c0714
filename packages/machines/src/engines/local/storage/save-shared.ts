import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { requireRoom } from '../host/host-room.ts'
import type { Settings } from '../options.ts'
import { canClone } from './can-clone.ts'
import { withSpaceFor } from './disk-space.ts'
import { noteShared, sharedMiB } from './shared-blocks.ts'

const MiB = 1024 * 1024
const noSpace =
  'The host has no space for the snapshot: its disk is promised to machines. Delete sandboxes or images, or ask the operator to add disk.'

/**
 * Saves the disk of a machine. Whatever the machine changes from now on takes space beside what was saved, so there must be some. It is
 * made before the disk is cloned, because a machine that cannot write loses data.
 */
export async function saveShared<Saved extends { readonly sizeMiB: number }>(
  settings: Settings,
  path: string,
  save: () => Promise<Saved>,
): Promise<Saved> {
  const disk = basename(path)
  if (!canClone(settings.disksDir)) {
    await requireRoom(settings, await occupiedMiB(path), noSpace)
    return await save()
  }
  const before = await sharedMiB(settings.disksDir, disk)
  await noteShared(settings, disk, Math.max(before, await occupiedMiB(path)))
  try {
    await requireRoom(settings, 0, noSpace)
    const saved = await withSpaceFor(settings, 0, save)
    // The machine may have written more before the moment at which the disk was cloned.
    await noteShared(settings, disk, Math.max(before, saved.sizeMiB))
    return await withSpaceFor(settings, 0, async () => saved)
  } catch (error) {
    await noteShared(settings, disk, before)
    throw error
  }
}

export async function occupiedMiB(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return ((found?.blocks ?? 0) * 512) / MiB
}
