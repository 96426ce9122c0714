import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startTimeOf } from '../oci/init-process.ts'
import type { Settings } from '../options.ts'
import type { Lower } from '../records.ts'
import { canMapOwners } from './idmap-probe.ts'
import { unmountBelow } from './mounts.ts'
import { shiftedImage } from './shifted-image.ts'

/** Whether each machine of this engine can have its own range of user ids. */
export async function mapsOwners(settings: Pick<Settings, 'imagesDir' | 'mapOwners'>): Promise<boolean> {
  if (!settings.mapOwners) return false
  // The probe runs on the filesystem of the images, because that one has to support it.
  await removeForgottenProbes(settings.imagesDir)
  const owner = `${process.pid}-${await startTimeOf(process.pid)}`
  const folder = await mkdtemp(join(settings.imagesDir, `probe-${owner}-`))
  try {
    return await canMapOwners(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A service that was killed while it tried leaves mounts behind. */
async function removeForgottenProbes(imagesDir: string): Promise<void> {
  for (const name of await readdir(imagesDir)) {
    const [, pid, startTime] = /^probe-(\d+)-(\d+)-/.exec(name) ?? []
    if (pid === undefined || (await startTimeOf(Number(pid))) === startTime) continue
    await unmountBelow(join(imagesDir, name))
    await rm(join(imagesDir, name), { recursive: true, force: true })
  }
}

export async function chooseLower(settings: Settings, image: string): Promise<Lower> {
  if (await mapsOwners(settings)) return { folder: image, mapped: true }
  return { folder: await shiftedImage(settings, image), mapped: false }
}
