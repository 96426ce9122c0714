import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { repairDisk } from '../rootfs/disk.ts'
import { mountsBelow } from '../rootfs/mounts.ts'
import { canClone } from './can-clone.ts'

const MiB = 1024 * 1024
const script = join(import.meta.dirname, 'save-disk.pl')

export interface SavedDisk {
  /** How long nothing could be written to the disk. */
  readonly pauseMs: number
  /** The content that it has in common with the disk of the machine, if that was cloned. */
  readonly sizeMiB: number
}

/** Saves the disk of a machine, which may be running, to a file. */
export async function saveDisk(
  settings: Settings,
  paths: Pick<MachinePaths, 'disk' | 'diskMount'>,
  target: string,
): Promise<SavedDisk> {
  const part = `${target}.part`
  const mounted = (await mountsBelow(paths.diskMount)).includes(paths.diskMount)
  const how = canClone(settings.disksDir) ? 'clone' : 'copy'
  const printed = await runCommand('perl', [
    script,
    paths.disk,
    part,
    how,
    ...(mounted ? [paths.diskMount] : []),
  ]).catch(cause => {
    if (!(cause instanceof CommandFailed && cause.output.includes('no space:'))) throw cause
    throw new MachineError('HOST_FULL', 'The host has no space for the snapshot.', { cause })
  })
  // Files that were deleted while a program had them open still take space. After the check, machines start without one.
  await repairDisk(part)
  const { blocks } = await stat(part)
  await rename(part, target)
  return { pauseMs: Number(printed), sizeMiB: Math.ceil((blocks * 512) / MiB) }
}

/** Lets machines write again whose disks were being saved when the service was killed. */
export async function thawDisks(settings: Settings): Promise<void> {
  const mounts = (await mountsBelow(join(settings.runDir, 'm'))).filter(path => path.endsWith('/disk'))
  const thaw = 'for (@ARGV) { if (open(my $file, "<", $_)) { ioctl($file, 0xC0045878, 0) } } exit 0'
  if (mounts.length > 0) await runCommand('perl', ['-e', thaw, ...mounts])
}
