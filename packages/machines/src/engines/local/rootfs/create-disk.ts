import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { UidRange } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import { canClone } from '../storage/can-clone.ts'
import { withSpaceFor } from '../storage/disk-space.ts'
import { savedDiskPath } from '../storage/saved-records.ts'
import { noteShared } from '../storage/shared-blocks.ts'
import { allocatedBytes, diskOptions, emptyDisk, mapOwnersCommand } from './disk.ts'
import { identityFiles } from './rootfs.ts'
import { socketFolderOptions } from './socket-folders.ts'

/** What the disk of a new machine is like. */
export interface DiskKind {
  readonly diskMiB: number
  /** The saved disk that it begins as, and the first of the user ids that own the files there. */
  readonly saved?: { readonly id: string; readonly base: number } | undefined
}

const script = join(import.meta.dirname, 'create-disk.pl')

/**
 * Creates and mounts the disk of a new machine with what its root needs, and the folders for sockets. The disk is empty, or
 * begins as one that was saved. Then runs the command in the same process, because each start of a process blocks the
 * service for some milliseconds.
 */
export async function createDisk(
  settings: Settings,
  paths: MachinePaths,
  { diskMiB, saved }: DiskKind,
  range: UidRange,
  then: readonly string[],
): Promise<void> {
  const isClone = saved !== undefined && canClone(settings.disksDir)
  const isAllocated = settings.diskOvercommit === 1 && !isClone
  const template = saved ? savedDiskPath(settings, saved.id) : await emptyDisk(settings, diskMiB)
  const base = saved?.base ?? range.base
  await mkdir(paths.diskMount, { recursive: true })
  await mkdir(dirname(paths.disk), { recursive: true, mode: 0o700 })
  if (isClone) await noteShared(settings, basename(paths.disk), diskMiB)
  const args = [
    script,
    template,
    isClone ? 'clone' : 'copy',
    paths.disk,
    String(allocatedBytes(diskMiB, isAllocated)),
    paths.diskMount,
    diskOptions(isAllocated),
    paths.upper,
    paths.work,
    String(base),
    identityFiles.join(','),
    socketFolderOptions,
    paths.sockets,
    paths.x11,
    ...mapOwnersCommand(paths, range, { base }),
    ...then,
  ]
  await withSpaceFor(settings, diskMiB, () => runCommand('perl', args)).catch(cause => {
    if (!(cause instanceof CommandFailed)) throw cause
    if (cause.output.includes('unfit:'))
      throw new MachineError('INVALID', 'The saved disk has no usable folder /etc.', { cause })
    if (!cause.output.includes('no space:')) throw cause
    throw new MachineError('NO_CAPACITY', 'The host has no space for the disk of one more machine.', {
      cause,
    })
  })
}
