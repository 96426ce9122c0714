import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { UidRange } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import { allocatedBytes, diskOptions, emptyDisk } from './disk.ts'
import { identityFiles } from './rootfs.ts'
import { socketFolderOptions } from './socket-folders.ts'

const script = join(import.meta.dirname, 'create-disk.pl')

/**
 * Creates and mounts the disk of a new machine with what its root needs, and the folders for sockets. Then runs the
 * command in the same process, because each start of a process blocks the service for some milliseconds.
 */
export async function createDisk(
  settings: Settings,
  paths: MachinePaths,
  diskMiB: number,
  range: UidRange,
  then: readonly string[],
): Promise<void> {
  const isAllocated = settings.diskOvercommit === 1
  const template = await emptyDisk(settings, diskMiB)
  await mkdir(paths.diskMount, { recursive: true })
  const args = [
    script,
    template,
    paths.disk,
    String(allocatedBytes(diskMiB, isAllocated)),
    paths.diskMount,
    diskOptions(isAllocated),
    paths.upper,
    paths.work,
    String(range.base),
    identityFiles.join(','),
    socketFolderOptions,
    paths.sockets,
    paths.x11,
    ...then,
  ]
  await runCommand('perl', args).catch(cause => {
    if (!(cause instanceof CommandFailed && cause.output.includes('no space:'))) throw cause
    throw new MachineError('NO_CAPACITY', 'The host has no space for the disk of one more machine.', {
      cause,
    })
  })
}
