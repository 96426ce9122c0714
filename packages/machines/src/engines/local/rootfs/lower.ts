import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../options.ts'
import type { Lower } from '../records.ts'
import { canMapOwners } from './idmap-probe.ts'
import { shiftedImage } from './shifted-image.ts'

/** Whether each machine of this engine can have its own range of user ids. */
export async function mapsOwners(settings: Pick<Settings, 'imagesDir' | 'mapOwners'>): Promise<boolean> {
  if (!settings.mapOwners) return false
  // The probe runs on the filesystem of the images, because that one has to support it.
  const folder = await mkdtemp(join(settings.imagesDir, 'probe-'))
  try {
    return await canMapOwners(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function chooseLower(settings: Settings, image: string): Promise<Lower> {
  if (await mapsOwners(settings)) return { folder: image, mapped: true }
  return { folder: await shiftedImage(settings, image), mapped: false }
}
