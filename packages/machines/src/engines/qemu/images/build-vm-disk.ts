import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, buildImage, imageFolder } from '../../../images/build-image.ts'
import { installGuestFiles } from '../../local/guest/guest-files.ts'
import { runCommand } from '../../local/host/run-command.ts'
import type { Settings } from '../../local/options.ts'
import { leaveMounts } from '../../local/rootfs/leave-mounts.ts'

/** The recipe whose image has the kernel. */
const kernelRecipe = 'vm-kernel'

/** Changes with the way in which disks are made. */
const layout = 1

/** What a disk has beside the files of its image, until a machine makes it larger. */
const spareMiB = 256

/** What is mounted or unmounted here ends with the process. */
const isolation = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/**
 * The image, the modules of the kernel and our own programs become one ext4 file system. The folder appears under its name only when
 * it is complete, and one builder at a time makes it.
 */
const script = join(import.meta.dirname, 'make-disk.sh')

type BuildSettings = Pick<Settings, 'imagesDir' | 'runDir'>

/** The images that a disk is made from: the desktop, and the kernel. */
interface Sources {
  readonly image: string
  readonly kernel: string
}

async function sourcesOf(name: string): Promise<Sources> {
  const [image, kernel] = await Promise.all([imageFolder(name), imageFolder(kernelRecipe)])
  return { image, kernel }
}

/** Returns the folder of the disk for an image, relative to the images folder. Its image must be built. */
export async function vmDiskFolder(settings: BuildSettings, name: string): Promise<string> {
  return folderOf(name, await sourcesOf(name), await guestOf(settings, (await sourcesOf(name)).image))
}

const guestOf = (settings: BuildSettings, image: string) => installGuestFiles(settings, image)

function folderOf(name: string, { image, kernel }: Sources, guest: string): string {
  const content = JSON.stringify([layout, image, kernel, guest.slice(guest.lastIndexOf('/') + 1)])
  return `vmdisk-${name}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}

/** Builds the disk of an image for virtual machines, and what it is made from, unless they exist. */
export async function buildVmDisk(
  settings: BuildSettings,
  name: string,
  options: Omit<BuildOptions, 'imagesDir'> = {},
): Promise<string> {
  const { imagesDir } = settings
  const image = await buildImage(name, { ...options, imagesDir })
  const kernel = await buildImage(kernelRecipe, { ...options, imagesDir })
  const guest = await guestOf(settings, image)
  const folder = folderOf(name, { image, kernel }, guest)
  const target = join(imagesDir, folder)
  if (existsSync(target)) return folder
  options.onProgress?.(`Making the disk of ${name} for virtual machines.`)
  const made = [
    'sh',
    script,
    target,
    join(imagesDir, image),
    join(imagesDir, kernel),
    guest,
    String(spareMiB),
  ]
  await runCommand('unshare', [...isolation, ...leaveMounts, 'flock', `${target}.lock`, ...made], {
    ...(options.signal && { signal: options.signal }),
  })
  return folder
}
