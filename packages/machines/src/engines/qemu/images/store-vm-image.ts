import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digestOfImage } from './image-digest.ts'
import { takeLock } from './image-lock.ts'
import {
  filesOf,
  findVmImage,
  isVmImageName,
  type StoredVmImage,
  type VmImage,
  type VmImageDescription,
  vmImagePrefix,
} from './vm-image.ts'

/** The command by which operators work on images. */
export const vmImageCommand = 'npm run vm-image --'

export interface StoreOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (line: string) => void
}

/** Throws unless a new image can have this name. */
export async function requireFreeName(imagesDir: string, name: string): Promise<void> {
  if (!isVmImageName(name))
    throw new Error(
      `${JSON.stringify(name)} cannot be the name of an image. Use at most 50 small letters, digits and hyphens, with no hyphen at either end.`,
    )
  if (await findVmImage(imagesDir, name))
    throw new Error(
      `There is already an image ${name}. Choose another name, or remove it first: ${vmImageCommand} remove ${name}`,
    )
}

/** Makes the folder as the service does, which may not have been started yet. Each image in it is private. */
export async function makeImagesDir(imagesDir: string): Promise<void> {
  await mkdir(dirname(imagesDir), { recursive: true, mode: 0o700 })
  await mkdir(imagesDir, { recursive: true, mode: 0o755 })
}

/**
 * Stores an image that `make` writes into a folder. Only one process makes an image of a name at a time. The image appears
 * under its name only once it is complete and on the disk; if it fails or is aborted, nothing is left.
 */
export async function storeVmImage(
  imagesDir: string,
  name: string,
  make: (folder: string) => Promise<VmImageDescription>,
  o: StoreOptions = {},
): Promise<StoredVmImage> {
  await requireFreeName(imagesDir, name)
  await makeImagesDir(imagesDir)
  await removeAbandoned(imagesDir)
  await using _lock = await requireLock(imagesDir, name)
  await requireFreeName(imagesDir, name)
  const part = join(imagesDir, `${vmImagePrefix}${name}.part`)
  try {
    await mkdir(part, { mode: 0o700 })
    const description = await make(part)
    await requirePlain(part, description)
    o.signal?.throwIfAborted()
    const { size } = await stat(join(part, 'disk.raw'))
    const diskMiB = Math.ceil(size / 1024 / 1024)
    const described = { ...description, name, diskMiB }
    o.onProgress?.('Computing the digest of the disk.')
    const digest = await digestOfImage(part, described, o.signal)
    const image: VmImage = { version: 1, ...described, digest }
    await writeSynced(part, image)
    const folder = join(imagesDir, `${vmImagePrefix}${name}-${digest.slice(0, 12)}`)
    o.signal?.throwIfAborted()
    await rename(part, folder)
    await sync(imagesDir)
    return { image, folder, storedAt: new Date() }
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  }
}

/** A program that made the files, and was taken over, could have left links to files of the host. */
async function requirePlain(folder: string, description: VmImageDescription): Promise<void> {
  for (const name of filesOf(description)) {
    const found = await lstat(join(folder, name))
    const inside = found.isDirectory() ? await readdir(join(folder, name), { withFileTypes: true }) : [found]
    if (!inside.every(one => one.isFile())) throw new Error(`${name} of the image is not a plain file.`)
  }
}

/** Removes what commands left that were killed. */
export async function removeAbandoned(imagesDir: string): Promise<void> {
  for (const entry of await readdir(imagesDir).catch(() => [])) {
    const name = /^vm-(.+)\.part$/.exec(entry)?.[1]
    if (name === undefined) continue
    await using lock = await lockOf(imagesDir, name)
    if (lock) await rm(join(imagesDir, entry), { recursive: true, force: true })
  }
}

/** The lock by which the local engine, too, knows whether somebody still writes to a `.part` folder. */
const lockOf = (imagesDir: string, name: string) => takeLock(join(imagesDir, `${vmImagePrefix}${name}.lock`))

/** Fails if another process makes or removes the image of a name. */
export async function requireLock(imagesDir: string, name: string): Promise<AsyncDisposable> {
  const lock = await lockOf(imagesDir, name)
  if (!lock)
    throw new Error(
      `Another command is working on the image ${name}. Wait until it has finished, or stop it.`,
    )
  return lock
}

/** Writes `vm.json`, and everything to the disk, so that a power failure cannot leave half an image under its name. */
async function writeSynced(folder: string, image: VmImage): Promise<void> {
  const file = await open(join(folder, 'vm.json'), 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(image, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  for (const name of filesOf(image)) {
    await sync(join(folder, name))
    if (name === 'tpm')
      for (const state of await readdir(join(folder, name))) await sync(join(folder, name, state))
  }
  await sync(folder)
}

async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
