import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { UidRange } from '../oci/uid-ranges.ts'
import type { Settings } from '../options.ts'
import { useOfDisk } from './disk-use.ts'

const MiB = 1024 * 1024
const blockSize = 4096
const groupMiB = 128
/** The script that mounts a folder so that its files have other owners. */
export const ownerMapper = join(import.meta.dirname, 'map-owners.pl')

const emptyDisks = ({ disksDir }: Pick<Settings, 'disksDir'>): string => join(disksDir, 'empty')

/**
 * Returns an empty disk of this size, which disks of machines are copies of, because a copy takes less time than
 * formatting. It is formatted when the first machine needs it.
 *
 * A disk is a file with a filesystem of the size in the spec, mounted as a loop device. The limit works on every host
 * filesystem, even if the kernel has no project quotas, and removing the machine removes one file. There is no journal:
 * fsck repairs the disk after a crash of the host, and an idle machine writes nothing.
 */
export async function emptyDisk(settings: Pick<Settings, 'disksDir'>, diskMiB: number): Promise<string> {
  const folder = emptyDisks(settings)
  const path = join(folder, `${diskMiB}.ext4`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = `${path}.${randomUUID()}`
  try {
    await formatDisk(part, diskMiB)
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
  return path
}

export async function formatDisk(path: string, diskMiB: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.truncate(diskMiB * MiB)
  } finally {
    await file.close()
  }
  const features = ['-O', '^has_journal,^resize_inode', '-b', String(blockSize), '-m', '0']
  const extended = ['-E', 'lazy_itable_init=1,nodiscard,packed_meta_blocks=1']
  await runCommand('mkfs.ext4', ['-q', '-F', ...features, ...extended, path])
}

/**
 * How many bytes of a new disk get space on the host immediately: all of them, or those of its metadata. In the second
 * case the host may run out of space before the machine does.
 */
export const allocatedBytes = (diskMiB: number, isAllocated: boolean): number =>
  isAllocated ? diskMiB * MiB : metadataBytes(diskMiB)

/**
 * The size of the superblock, the group descriptors and the bitmaps, which packed_meta_blocks puts at the start.
 * fsync does not write the bitmaps: if the host had no space for them, blocks of a stored file would appear free
 * after the next mount.
 */
function metadataBytes(diskMiB: number): number {
  const groups = Math.ceil(diskMiB / groupMiB)
  const descriptorBlocks = Math.ceil((groups * 64) / blockSize)
  return (1 + descriptorBlocks + 2 * groups) * blockSize
}

/**
 * The options of the mounted filesystem. With `discard`, it frees space on the host when the machine deletes files. A
 * fully allocated disk keeps its space.
 */
export const diskOptions = (isAllocated: boolean): string =>
  `${isAllocated ? 'nodiscard' : 'discard'},noinit_itable`

/** Mounts the disk of an existing machine. */
export async function mountDisk(paths: MachinePaths, range: UidRange, owners: DiskOwners): Promise<void> {
  await mkdir(paths.diskMount, { recursive: true })
  const options = `loop,noatime,nodev,${diskOptions(await isAllocated(paths.disk))}`
  await runCommand('mount', ['-t', 'ext4', '-o', options, paths.disk, paths.diskMount])
  const [map, ...args] = mapOwnersCommand(paths, range, owners)
  if (map !== undefined) await runCommand(map, args)
  await mkdir(paths.work, { recursive: true })
  await mkdir(paths.upper, { recursive: true })
  await chmod(paths.upper, 0o755)
  await chown(paths.upper, range.base, range.base)
}

/** The first of the user ids that own the files on a disk. A clone has the owners of the disk that it was cloned from. */
export interface DiskOwners {
  readonly base: number
}

/** The command that shows the owners on a disk as those of its machine. It is empty if they are the same. */
export function mapOwnersCommand(
  { diskMount }: Pick<MachinePaths, 'diskMount'>,
  range: UidRange,
  { base }: DiskOwners,
): string[] {
  if (base === range.base) return []
  return [
    'perl',
    ownerMapper,
    diskMount,
    diskMount,
    '0',
    String(base),
    String(range.base),
    String(range.size),
  ]
}

/**
 * Whether the host has allocated the whole disk, so that no write of the machine can fail because the host is full.
 */
export async function isAllocated(path: string): Promise<boolean> {
  const use = await useOfDisk(path)
  return use !== undefined && use.takenMiB >= use.promisedMiB
}

/**
 * Repairs a disk that was not unmounted, for example after a crash of the host. Files that were deleted while a program had
 * them open are released; what cannot be attributed is put where the machine does not see it.
 */
export async function repairDisk(path: string): Promise<void> {
  // Exit codes 1 and 2 mean that errors were found and corrected.
  await runCommand('sh', ['-c', 'fsck.ext4 -y "$0" > /dev/null || [ $? -le 2 ]', path])
}
