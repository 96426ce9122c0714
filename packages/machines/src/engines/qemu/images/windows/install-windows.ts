import { lstat, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../local/host/run-command.ts'
import { addFirmware, makeSparse, requireFile } from '../add-disk.ts'
import { hasGpt } from '../boot-partitions.ts'
import { confinedUser } from '../confined-root.ts'
import { requireSpace } from '../disk-space.ts'
import { takeLock } from '../image-lock.ts'
import { makeImagesDir, requireFreeName, storeVmImage } from '../store-vm-image.ts'
import { type StoredVmImage, vmImagePrefix } from '../vm-image.ts'
import type { WindowsAnswers } from './answer-file.ts'
import { writeAnswerMedia } from './answer-media.ts'
import { requireCd, requireDrivers } from './check-media.ts'
import { type InstallerMachine, installerFolder } from './installer-machine.ts'
import { Installer } from './run-installer.ts'
import { screenFile, TooSlow, watchInstaller } from './watch-installer.ts'

const MiB = 1024 * 1024

export interface WindowsInstallation extends WindowsAnswers {
  readonly name: string
  /** The ISO of Windows. */
  readonly iso: string
  /** The ISO of virtio-win, with the drivers and the guest agent. */
  readonly virtio: string
  readonly diskMiB: number
  readonly memoryMiB: number
}

export interface InstallOptions {
  readonly imagesDir: string
  readonly reserveDiskMiB: number
  readonly accelerator: InstallerMachine['accelerator']
  readonly timeLimitMs: number
  readonly tell: (line: string) => void
  readonly signal?: AbortSignal | undefined
  /** What is expected of the installation. Tests install something smaller. */
  readonly expected?: Expected
}

export interface Expected {
  readonly firmware: InstallerMachine['firmware']
  /** What it may write. */
  readonly neededMiB: number
  /** What it writes at least, to a disk with partitions for UEFI. */
  readonly writtenMiB: number
}

const windowsExpected: Expected = { firmware: 'uefi-secure', neededMiB: 24 * 1024, writtenMiB: 4096 }

/**
 * Installs Windows without a person, in a machine without network, and stores it as an image. One installation runs at a time.
 * If it fails or is aborted, nothing is left but a picture of the screen, if the message names one.
 */
export async function installWindows(
  installation: WindowsInstallation,
  o: InstallOptions,
): Promise<StoredVmImage> {
  const { firmware, neededMiB, writtenMiB } = o.expected ?? windowsExpected
  const { name, edition, diskMiB, memoryMiB } = installation
  await requireFreeName(o.imagesDir, name)
  const [windows, virtio] = [await requireFile(installation.iso), await requireFile(installation.virtio)]
  await requireCd(windows, 'iso')
  await requireCd(virtio, 'virtio')
  await requireDrivers(virtio, edition, o.signal)
  await makeImagesDir(o.imagesDir)
  await requireSpace(o.imagesDir, Math.min(neededMiB, diskMiB) * MiB, o.reserveDiskMiB)
  await using lock = await takeLock(join(o.imagesDir, `${vmImagePrefix}.installation.lock`))
  if (!lock) throw new Error('Another installation is running. Wait until it has finished, or stop it.')
  const picture = join(o.imagesDir, `${vmImagePrefix}${name}-screen.png`)
  await rm(picture, { force: true })
  // The lock is held until this has finished.
  return await storeVmImage(
    o.imagesDir,
    name,
    async folder => {
      await makeSparse(join(folder, 'disk.raw'), diskMiB * MiB)
      await addFirmware(folder, firmware)
      await mkdir(join(folder, 'tpm'), { recursive: true, mode: 0o700 })
      const temporary = join(folder, installerFolder)
      await mkdir(temporary)
      await writeAnswerMedia(join(temporary, 'answers.iso'), installation, o.signal)
      await runCommand('chown', ['-R', `${confinedUser}:${confinedUser}`, folder])
      o.tell(
        `Installing ${edition} on a disk of ${diskMiB} MiB. It has ${Math.round(o.timeLimitMs / 60_000)} minutes.`,
      )
      const machine = { firmware, accelerator: o.accelerator, memoryMiB, processors: processorsOf() }
      const installer = await Installer.start(machine, { folder, windows, virtio })
      try {
        await watchInstaller(installer, {
          folder,
          timeLimitMs: o.timeLimitMs,
          tell: o.tell,
          signal: o.signal,
        })
      } catch (error) {
        throw error instanceof TooSlow
          ? await withPicture(error, join(temporary, screenFile), picture)
          : error
      } finally {
        await installer.stop()
      }
      await requireInstalled(join(folder, 'disk.raw'), writtenMiB)
      await rm(temporary, { recursive: true })
      await rm(join(folder, 'tpm', '.lock'), { force: true })
      await runCommand('chown', ['-R', '0:0', folder])
      return { os: 'windows', firmware, agent: 'qemu-guest-agent', devices: 'virtio', memoryMiB }
    },
    { ...(o.signal && { signal: o.signal }), onProgress: o.tell },
  )
}

/** Keeps the picture of the screen, and names it in the message. */
async function withPicture({ message }: TooSlow, taken: string, kept: string): Promise<Error> {
  const found = await lstat(taken).catch(() => undefined)
  if (found?.isFile()) await writeFile(kept, await readFile(taken), { mode: 0o600 })
  const screen = found?.isFile() ? `${kept} shows its screen.` : 'Its screen could not be read.'
  return new Error(`${message} ${screen} If it only needs longer, add --minutes.`)
}

/** Windows 11 requires two processors, and more than four make the installation no faster. */
const processorsOf = () => Math.min(4, Math.max(2, availableParallelism()))

/** Throws if a disk cannot have an installed system on it. */
export async function requireInstalled(disk: string, writtenMiB: number): Promise<void> {
  const { blocks } = await stat(disk)
  const foundMiB = Math.floor((blocks * 512) / MiB)
  if (foundMiB < writtenMiB || (writtenMiB > 0 && !(await hasGpt(disk))))
    throw new Error(
      `The machine shut down, but its disk has only ${foundMiB} MiB and does not look like an installed Windows. Check that the ISO has the edition, and that it is for x86_64.`,
    )
}
