import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../options.ts'
import type { Lower } from '../records.ts'
import { canMapOwners } from './idmap-probe.ts'
import { shiftedImage } from './shifted-image.ts'

/** Whether machines of this engine can each have a range of user ids of their own. */
export async function mapsOwners(settings: Pick<Settings, 'imagesDir' | 'mapOwners'>): Promise<boolean> {
  if (!settings.mapOwners) return false
  // On the images' own filesystem, because it is that which has to do it.
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
