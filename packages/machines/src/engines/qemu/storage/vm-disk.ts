import { constants, copyFile, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineFigures } from '../../../contract/figures.ts'
import { runCommand } from '../../local/host/run-command.ts'
import { canClone } from '../../local/storage/can-clone.ts'
import { copyDisk } from '../../local/storage/copy-disk.ts'
import { withSpaceFor } from '../../local/storage/disk-space.ts'
import { noteShared } from '../../local/storage/shared-blocks.ts'
import type { VmSource } from '../images/find-vm-disk.ts'
import type { QemuSettings } from '../options.ts'

const MiB = 1024 * 1024

/** Makes the disk of a machine equal to another one, of which it takes only what changes where the file system can do that. */
export async function cloneDisk(
  settings: QemuSettings,
  source: string,
  target: string,
  diskMiB: number,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const isClone = canClone(settings.disksDir)
  if (isClone) await noteShared(settings, basename(target), diskMiB)
  await withSpaceFor(settings, diskMiB, () =>
    isClone
      ? copyFile(source, target, constants.COPYFILE_FICLONE_FORCE)
      : copyDisk(settings, source, target, diskMiB),
  )
}

/** Makes the disk of a machine that boots from an image for the first time. The file system of a guest of ours fills the disk. */
export async function freshDisk(
  settings: QemuSettings,
  { folder, guest }: VmSource,
  target: string,
  diskMiB: number,
): Promise<void> {
  const source = join(settings.imagesDir, folder, 'disk.raw')
  const { size } = await stat(source)
  if (size > diskMiB * MiB)
    throw new MachineError(
      'INVALID',
      `the image needs a disk of ${Math.ceil(size / MiB)} MiB, and this machine has ${diskMiB} MiB`,
    )
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await withSpaceFor(settings, diskMiB, async () => {
    await runCommand('cp', ['--sparse=always', '--reflink=auto', '--', source, target])
    await runCommand('truncate', [`--size=${diskMiB}M`, target])
    // No guest has written to it yet. What an operator brings may have partitions, which only its own system can change.
    if (guest.firmware === 'kernel' && guest.agent === 'sandglass')
      await runCommand('resize2fs', ['-f', target])
  })
}

/** What a disk takes on the host. The host does not look into the file systems of guests. */
export async function occupiedOf(path: string): Promise<MachineFigures['disk']> {
  const found = await stat(path).catch(() => undefined)
  return found && { usedBytes: Math.min(found.size, found.blocks * 512), limitBytes: found.size }
}
