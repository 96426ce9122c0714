import { constants } from 'node:fs'
import { access, copyFile, mkdir, open, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { firmwareFor } from './boot-partitions.ts'
import { type DiskFormat, detectFormat, refusalOfQcow2 } from './disk-format.ts'
import { requireSpace } from './disk-space.ts'
import { firmwareFiles } from './firmware-files.ts'
import { copyToRaw, measureDisk, readDiskInfo } from './qemu-img.ts'
import { requireFreeName, storeVmImage } from './store-vm-image.ts'
import type { StoredVmImage, VmImageDescription } from './vm-image.ts'

/** What ext4 can store in one file. */
const maxDiskBytes = 16 * 1024 ** 4

export interface AddDiskOptions {
  readonly imagesDir: string
  readonly reserveDiskMiB: number
  /** Found by the first bytes if it is left out. */
  readonly format?: DiskFormat
  readonly onProgress?: (line: string) => void
  readonly signal?: AbortSignal
}

/** What an operator says about a disk. The firmware is found by the partitions if it is left out. */
export type BroughtDisk = Omit<VmImageDescription, 'firmware'> & {
  readonly firmware?: Exclude<VmImageDescription['firmware'], 'kernel'>
}

/** Stores a copy of a disk that an operator brings as an image. The disk itself is not changed. */
export async function addDisk(
  name: string,
  disk: string,
  about: BroughtDisk,
  o: AddDiskOptions,
): Promise<StoredVmImage> {
  await requireFreeName(o.imagesDir, name)
  const path = await requireFile(disk)
  const format = o.format ?? (await detectFormat(path))
  const refuse = (what: string) => new Error(`${disk} ${what}.`)
  const refusal = format === 'qcow2' ? await refusalOfQcow2(path) : undefined
  if (refusal) throw refuse(refusal)
  const source = { path, format }
  const explained = (cause: unknown) =>
    new Error(`${disk} could not be read as ${format}. ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  const info = await readDiskInfo(source, { signal: o.signal }).catch(cause => {
    throw explained(cause)
  })
  if (info.refersTo !== undefined) throw refuse('refers to another file, and cannot be used without it')
  if (info.isEncrypted) throw refuse('is encrypted. Decrypt it first with qemu-img convert')
  if (!(info.bytes > 0 && info.bytes <= maxDiskBytes))
    throw refuse(`has a size of ${info.bytes} bytes. It must have some, and at most 16 TiB`)
  const needed = await measureDisk(source, { signal: o.signal })
  const tell = (line: string) => o.onProgress?.(line)
  return storeVmImage(
    o.imagesDir,
    name,
    async folder => {
      await requireSpace(folder, needed, o.reserveDiskMiB)
      tell(`Copying ${disk} (${format}, a disk of ${Math.ceil(info.bytes / 1024 ** 2)} MiB).`)
      const target = join(folder, 'disk.raw')
      await makeSparse(target, info.bytes)
      await copyToRaw(source, target, { signal: o.signal, onPercent: percentages(tell) }).catch(cause => {
        throw o.signal?.aborted ? cause : explained(cause)
      })
      const firmware = about.firmware ?? (await firmwareFor(target))
      await addFirmware(folder, firmware)
      return { ...about, firmware }
    },
    { ...(o.signal && { signal: o.signal }), onProgress: tell },
  )
}

/** Puts the files beside the disk that its firmware needs. */
export async function addFirmware(folder: string, firmware: VmImageDescription['firmware']): Promise<void> {
  if (firmware !== 'uefi' && firmware !== 'uefi-secure') return
  await copyFile(firmwareFiles(firmware).vars, join(folder, 'vars.fd'))
  // The TPM makes its own state when it is first started.
  if (firmware === 'uefi-secure') await mkdir(join(folder, 'tpm'), { mode: 0o700 })
}

export async function makeSparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    // Disks consist of whole sectors.
    await file.truncate(Math.ceil(bytes / 512) * 512)
  } finally {
    await file.close()
  }
}

/** The real path of a file that an operator names. */
export async function requireFile(named: string): Promise<string> {
  const path = await realpath(named).catch(() => {
    throw new Error(`There is no file ${named}. Check the path.`)
  })
  if (!(await stat(path)).isFile()) throw new Error(`${named} is not a file. Name the file of a disk.`)
  await access(path, constants.R_OK).catch(() => {
    throw new Error(`${named} cannot be read. Check its permissions.`)
  })
  return path
}

/** Reports every tenth percent once. */
function percentages(tell: (line: string) => void): (percent: number) => void {
  let told = 0
  return percent => {
    const step = Math.floor(percent / 10) * 10
    if (step <= told) return
    told = step
    tell(`Copied ${step}%.`)
  }
}
