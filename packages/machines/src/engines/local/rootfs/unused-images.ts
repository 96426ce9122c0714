import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { imageFolder } from '../../../images/build-image.ts'
import { recipesFolder } from '../../../images/recipe.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import { machinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { listIds, readRecord } from '../records.ts'
import { listSaved, readSaved } from '../storage/saved-records.ts'

const day = 24 * 60 * 60_000
/** An image that nobody used for so long is removed, if nothing refers to it. */
const unusedMs = 7 * day

/** The name of a recipe and its digest; a shifted image is a copy of it. Operators remove images of virtual machines themselves. */
const imageName = /^(?!vm-)[a-z0-9-]+-[0-9a-f]{12}(\.shifted)?$/
const isProbe = (name: string) => name.startsWith('probe-')

/** The exit code of flock if another process holds the lock. */
const isHeld = 75

type Images = Pick<Settings, 'imagesDir'>

/** Records that an image is used now. The directory may be shared with engines that know nothing of our machines. */
export async function noteImageUse({ imagesDir }: Images, folder: string): Promise<void> {
  const now = new Date()
  const mark = join(imagesDir, `${folder}.used`)
  await utimes(mark, now, now).catch(() => writeFile(mark, ''))
}

/**
 * Removes images that no recipe of this version makes, that no machine and no saved disk of this engine has, and that nobody used
 * for a week; and what builds left that have ended. Returns the names of what was removed. An engine that does not have the
 * directory for itself removes nothing.
 */
export async function removeUnusedImages(settings: Settings): Promise<string[]> {
  const { imagesDir, ownsImages } = settings
  if (!ownsImages || !existsSync(imagesDir)) return []
  const names = await readdir(imagesDir)
  const removed: string[] = []
  for (const name of names.filter(name => name.endsWith('.part')))
    if (await removeLocked(settings, name.slice(0, -'.part'.length), 'left')) removed.push(name)
  for (const name of names.filter(isProbe)) if (await removeOldProbe(settings, name)) removed.push(name)
  const used = await foldersInUse(settings)
  const mounts = await readFile('/proc/self/mountinfo', 'utf8')
  const unused = new Set<string>()
  for (const name of names.filter(name => imageName.test(name))) {
    const image = name.replace(/\.shifted$/, '')
    if (!used.has(image) && !mounts.includes(image) && (await isLongUnused(settings, image)))
      unused.add(image)
  }
  for (const image of unused) {
    for (const name of names.filter(name => name === image || name === `${image}.shifted`))
      if (await removeLocked(settings, name, 'image')) removed.push(name)
    await rm(join(imagesDir, `${image}.used`), { force: true })
  }
  return removed
}

async function foldersInUse(settings: Settings): Promise<Set<string>> {
  const recipes = await readdir(recipesFolder)
  const wanted = recipes.filter(name => existsSync(join(recipesFolder, name, 'recipe.json')))
  const folders = await Promise.all(wanted.map(name => imageFolder(name)))
  // A record that cannot be read may be of any image, so nothing is removed then. A machine without one is being created, from the
  // image of a recipe or of a saved disk.
  for (const id of await listIds(settings)) {
    if (!existsSync(machinePaths(settings, id).record)) continue
    const record = await readRecord(settings, id)
    if (!record) throw new Error(`it is unknown which image the machine ${id} has`)
    folders.push(record.image)
  }
  for (const id of await listSaved(settings)) {
    const saved = await readSaved(settings, id)
    if (!saved) throw new Error(`it is unknown which image the saved disk ${id} has`)
    folders.push(saved.image)
  }
  return new Set(folders)
}

/** The time of an image that has no mark yet begins now. */
async function isLongUnused(settings: Settings, folder: string): Promise<boolean> {
  const mark = await stat(join(settings.imagesDir, `${folder}.used`)).catch(() => undefined)
  if (!mark) await noteImageUse(settings, folder)
  return mark !== undefined && Date.now() - mark.mtimeMs > unusedMs
}

async function removeOldProbe({ imagesDir }: Images, name: string): Promise<boolean> {
  const path = join(imagesDir, name)
  const { mtimeMs } = await stat(path)
  if (Date.now() - mtimeMs < day) return false
  await rm(path, { recursive: true, force: true })
  return true
}

/**
 * Removes an image, or what a build left of it, under the lock of its builder. The image is renamed first, so that half of an image
 * never has its name. The file of the lock stays, because another builder may be waiting for it.
 */
async function removeLocked({ imagesDir }: Images, name: string, what: 'image' | 'left'): Promise<boolean> {
  const target = join(imagesDir, name)
  const script =
    'if [ "$1" = image ]; then mv "$0" "$0.part" || exit; fi; rm -rf --one-file-system -- "$0.part"'
  const locked = ['--nonblock', '--conflict-exit-code', String(isHeld), `${target}.lock`]
  try {
    await runCommand('flock', [...locked, 'sh', '-c', script, target, what])
  } catch (error) {
    if (error instanceof CommandFailed && error.exitCode === isHeld) return false
    throw error
  }
  return true
}
