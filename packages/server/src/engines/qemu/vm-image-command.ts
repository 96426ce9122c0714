import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  addDisk,
  diskPackages,
  installWindows,
  listVmImages,
  probeKvm,
  removeVmImage,
  type StoredVmImage,
  windowsPackages,
} from '@sandglass/machines/vm-images'
import { readEnvironment } from '../../environment/read-environment.ts'
import { readTable } from '../../setting-table.ts'
import { readSettings } from '../../settings.ts'
import type { Tell } from '../engine-definition.ts'
import { installPackages } from '../local/install-packages.ts'
import { localSettings } from '../local/settings.ts'
import type { VmImageArguments } from './vm-image-arguments.ts'

export interface CommandContext {
  readonly signal: AbortSignal
  readonly tell: Tell
}

/** Does what `npm run vm-image` was asked to do. */
export async function runVmImageCommand(
  chosen: Exclude<VmImageArguments, { action: 'help' }>,
  { signal, tell }: CommandContext,
): Promise<void> {
  const env = readEnvironment(process.env)
  const settings = readSettings(env)
  const { SANDGLASS_IMAGES } = readTable(localSettings, env)
  const imagesDir = SANDGLASS_IMAGES ?? join(settings.SANDGLASS_DATA, 'images')
  if (chosen.action === 'list') return await list(imagesDir, tell)
  if (chosen.action === 'remove') {
    await removeVmImage(imagesDir, chosen.name)
    tell(`Removed the image ${chosen.name}.`)
    return
  }
  if (chosen.action === 'windows') {
    await installPackages(tell, windowsPackages)
    const stored = await installWindows(chosen.installation, {
      imagesDir,
      reserveDiskMiB: settings.SANDGLASS_DISK_RESERVE,
      accelerator: await requireAccelerator(chosen.accelerator),
      timeLimitMs: chosen.minutes * 60_000,
      tell,
      signal,
    })
    return await tellStored(stored, tell)
  }
  await installPackages(tell, diskPackages)
  const { name, disk, about, format } = chosen
  const stored = await addDisk(name, disk, about, {
    imagesDir,
    reserveDiskMiB: settings.SANDGLASS_DISK_RESERVE,
    onProgress: tell,
    signal,
    ...(format && { format }),
  })
  await tellStored(stored, tell)
}

async function tellStored(stored: StoredVmImage, tell: Tell): Promise<void> {
  tell(`Stored ${await describe(stored)}`)
  tell(
    `Offer it with a shape that has "engine": "qemu" and "image": "${stored.image.name}" (docs/vms-images.md).`,
  )
}

/** An installation takes most of an hour, so it begins only where a guest was run with what it needs. */
async function requireAccelerator(chosen: 'kvm' | 'tcg'): Promise<'kvm' | 'tcg'> {
  if (chosen === 'tcg') return chosen
  const found = await probeKvm()
  if (!found.works)
    throw new Error(
      `KVM does not work on this host: ${found.reason}. Enable virtualization in its firmware, or nested virtualization if it is a virtual machine itself. With --accelerator tcg the processor is emulated, which takes many hours; add --minutes then.`,
    )
  return chosen
}

async function list(imagesDir: string, tell: Tell): Promise<void> {
  const images = await listVmImages(imagesDir)
  if (images.length === 0)
    tell(
      `There are no images of virtual machines in ${imagesDir}. Add one: npm run vm-image -- add NAME DISK`,
    )
  for (const stored of images) tell(await describe(stored))
}

async function describe({ image, folder, storedAt }: StoredVmImage): Promise<string> {
  const { blocks } = await stat(join(folder, 'disk.raw'))
  const usedMiB = Math.ceil((blocks * 512) / 1024 / 1024)
  const parts = [
    image.os,
    image.firmware,
    `agent ${image.agent}`,
    `${image.devices} devices`,
    `disk ${image.diskMiB} MiB, of which ${usedMiB} MiB are used`,
    ...(image.memoryMiB ? [`needs ${image.memoryMiB} MiB of memory`] : []),
    `stored ${storedAt.toISOString().slice(0, 10)}`,
  ]
  return `${image.name}  ${parts.join('  ')}`
}
