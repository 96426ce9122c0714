import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeAbandoned, requireLock, vmImageCommand } from './store-vm-image.ts'
import { listVmImages, vmImagePrefix } from './vm-image.ts'

/** Removes all images of a name. Machines keep what they have of them. */
export async function removeVmImage(imagesDir: string, name: string): Promise<void> {
  await removeAbandoned(imagesDir)
  const found = (await listVmImages(imagesDir)).filter(({ image }) => image.name === name)
  if (found.length === 0)
    throw new Error(`There is no image ${name}. ${vmImageCommand} list shows those that exist.`)
  await using _lock = await requireLock(imagesDir, name)
  for (const { folder } of found) {
    const users = await processesWith(join(folder, 'disk.raw'))
    if (users.length > 0)
      throw new Error(
        `The disk of ${name} is in use by process ${users.join(', ')}. Delete the sandboxes of this image, and try again.`,
      )
  }
  const part = join(imagesDir, `${vmImagePrefix}${name}.part`)
  for (const { folder } of found) {
    // Half of an image must never have its name.
    await rename(folder, part)
    await rm(part, { recursive: true, force: true })
  }
}

/** The ids of the processes that have a file open, whatever path they know it by. */
async function processesWith(file: string): Promise<string[]> {
  const wanted = await stat(file)
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(
    ids.map(async id => {
      const names = await readdir(`/proc/${id}/fd`).catch(() => [])
      const files = await Promise.all(
        names.map(name => stat(`/proc/${id}/fd/${name}`).catch(() => undefined)),
      )
      return files.some(one => one?.dev === wanted.dev && one.ino === wanted.ino) ? [id] : []
    }),
  )
  return found.flat()
}
