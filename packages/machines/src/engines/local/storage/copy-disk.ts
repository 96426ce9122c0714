import { MachineError } from '../../../contract/errors.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import type { Settings } from '../options.ts'
import { allocatedBytes } from '../rootfs/disk.ts'

/**
 * Copies a saved disk for a machine, where the file system cannot clone it. What the disk does not contain takes no space,
 * unless machines are promised no more than there is: then the host allocates all of it, as it does for a new machine.
 */
export async function copyDisk(
  { diskOvercommit }: Pick<Settings, 'diskOvercommit'>,
  source: string,
  target: string,
  diskMiB: number,
): Promise<void> {
  const env = { ...process.env, LC_ALL: 'C' }
  const length = allocatedBytes(diskMiB, diskOvercommit === 1)
  try {
    await runCommand('cp', ['--sparse=always', '--', source, target], { env })
    await runCommand('fallocate', ['--length', String(length), target], { env })
  } catch (cause) {
    if (!(cause instanceof CommandFailed && cause.output.includes('No space left'))) throw cause
    throw new MachineError('HOST_FULL', 'The host has no space for a copy of the disk.', { cause })
  }
}
