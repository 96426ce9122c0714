import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import type { QemuSettings } from '../options.ts'
import type { VmGuest } from '../records.ts'
import { vmDiskFolder } from './build-vm-disk.ts'
import { findVmImage } from './vm-image.ts'

const known = new Map<string, Promise<string>>()

/** What machines of an image begin with. */
export interface VmSource {
  /** Relative to the images folder. */
  readonly folder: string
  readonly guest: VmGuest
}

/** The guest that is made from the images of this project. */
const ownGuest: VmGuest = { os: 'linux', firmware: 'kernel', agent: 'sandglass', devices: 'virtio' }

/** Finds an image that the operator has brought, or else the disk that was made from an image of ours. */
export async function findVmDisk(settings: QemuSettings, name: string): Promise<VmSource> {
  const brought = await findVmImage(settings.imagesDir, name)
  if (brought) {
    const { os, firmware, agent, devices } = brought.image
    return { folder: basename(brought.folder), guest: { os, firmware, agent, devices } }
  }
  const key = `${settings.imagesDir}\0${name}`
  let folder = known.get(key)
  if (!folder) {
    folder = vmDiskFolder(settings, name)
    known.set(key, folder)
    folder.catch(() => known.delete(key))
  }
  let found: string
  try {
    found = await folder
  } catch (cause) {
    throw new MachineError('INVALID', `there is no image ${name} for virtual machines`, { cause })
  }
  if (existsSync(join(settings.imagesDir, found))) return { folder: found, guest: ownGuest }
  throw new MachineError('STATE', `the disk of the image ${name} is not built yet`)
}
