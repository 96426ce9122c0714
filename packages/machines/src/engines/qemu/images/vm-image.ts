import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

const systems = ['linux', 'windows', 'other'] as const
const firmwares = ['kernel', 'bios', 'uefi', 'uefi-secure'] as const
const agents = ['sandglass', 'qemu-guest-agent', 'none'] as const
const deviceSets = ['virtio', 'plain'] as const

/** The values that the parts of a description can have. */
export const vmImageValues = { os: systems, firmware: firmwares, agent: agents, devices: deviceSets }

/** What is written about an image of a virtual machine, apart from what follows from its content. */
export interface VmImageDescription {
  readonly os: (typeof systems)[number]
  /**
   * How it starts: `kernel` has the files `kernel` and `initrd` beside the disk, `bios` is SeaBIOS, `uefi` is OVMF with
   * `vars.fd`, `uefi-secure` adds secure boot and a TPM whose state is the folder `tpm`.
   */
  readonly firmware: (typeof firmwares)[number]
  /** What answers inside: our own agent, qemu-guest-agent, or nothing. */
  readonly agent: (typeof agents)[number]
  /** `virtio`, or `plain` devices (SATA, e1000e) for systems without drivers for it. */
  readonly devices: (typeof deviceSets)[number]
  /** The least memory that it needs. */
  readonly memoryMiB?: number
}

/**
 * An image of a virtual machine: a folder with `vm.json`, the sparse `disk.raw`, and the files of its firmware. Nothing
 * changes in the folder once it has its name. A machine copies `vars.fd` and `tpm`, and clones or hard-links the disk, so
 * that an operator can remove the image at any time.
 */
export interface VmImage extends VmImageDescription {
  readonly version: 1
  /** The name that `MachineSpec.image` refers to. */
  readonly name: string
  /** Of the content and the description. */
  readonly digest: string
  readonly diskMiB: number
}

/** An image and where it is. */
export interface StoredVmImage {
  readonly image: VmImage
  readonly folder: string
  readonly storedAt: Date
}

/** The start of the names of all files and folders of these images, among images of other kinds. */
export const vmImagePrefix = 'vm-'
const folderName = /^vm-.+-[0-9a-f]{12}$/

export const isVmImageName = (name: string): boolean => /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(name)

/** The files beside `vm.json` that an image with this firmware has. */
export function filesOf({ firmware }: Pick<VmImageDescription, 'firmware'>): readonly string[] {
  if (firmware === 'kernel') return ['disk.raw', 'kernel', 'initrd']
  if (firmware === 'uefi') return ['disk.raw', 'vars.fd']
  return firmware === 'uefi-secure' ? ['disk.raw', 'vars.fd', 'tpm'] : ['disk.raw']
}

/** Reads the description of an image. Throws if it is incomplete, or if another version wrote it. */
export async function readVmImage(folder: string): Promise<VmImage> {
  const file = join(folder, 'vm.json')
  const image = parse(await readFile(file, 'utf8'), file)
  const missing = filesOf(image).filter(name => !existsSync(join(folder, name)))
  if (missing.length > 0) throw new Error(`The image ${folder} has no ${missing.join(' and no ')}.`)
  return image
}

/** The complete images in a folder, newest first. What cannot be read is left out. */
export async function listVmImages(imagesDir: string): Promise<StoredVmImage[]> {
  const names = await readdir(imagesDir).catch(() => [])
  const found = await Promise.all(
    names
      .filter(name => folderName.test(name))
      .map(async name => {
        const folder = join(imagesDir, name)
        const [image, about] = await Promise.all([
          readVmImage(folder).catch(() => undefined),
          stat(join(folder, 'vm.json')).catch(() => undefined),
        ])
        return image && about ? { image, folder, storedAt: about.mtime } : undefined
      }),
  )
  return found
    .filter(one => one !== undefined)
    .sort((a, b) => b.storedAt.getTime() - a.storedAt.getTime() || a.folder.localeCompare(b.folder))
}

/** The newest complete image of a name. */
export async function findVmImage(imagesDir: string, name: string): Promise<StoredVmImage | undefined> {
  return (await listVmImages(imagesDir)).find(({ image }) => image.name === name)
}

function parse(text: string, file: string): VmImage {
  const wrong = (what: string) =>
    new Error(`${file} ${what}. Remove ${basename(join(file, '..'))} and add the image again.`)
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw wrong('is not JSON')
  }
  const values = new Map<string, unknown>(Object.entries(read ?? {}))
  if (values.get('version') !== 1) throw wrong('has a version that this Sandglass does not know')
  const oneOf = <T extends string>(name: string, known: readonly T[]): T => {
    const value = known.find(one => one === values.get(name))
    if (value === undefined) throw wrong(`has no valid ${name}`)
    return value
  }
  const matching = (name: string, pattern: RegExp): string => {
    const value = values.get(name)
    if (typeof value !== 'string' || !pattern.test(value)) throw wrong(`has no valid ${name}`)
    return value
  }
  const count = (name: string): number => {
    const value = values.get(name)
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
      throw wrong(`has no valid ${name}`)
    return value
  }
  const name = matching('name', /./)
  if (!isVmImageName(name)) throw wrong('has no valid name')
  return {
    version: 1,
    name,
    digest: matching('digest', /^[0-9a-f]{64}$/),
    os: oneOf('os', systems),
    firmware: oneOf('firmware', firmwares),
    agent: oneOf('agent', agents),
    diskMiB: count('diskMiB'),
    devices: oneOf('devices', deviceSets),
    ...(values.has('memoryMiB') && { memoryMiB: count('memoryMiB') }),
  }
}
