import { chmod, chown, mkdir, open } from 'node:fs/promises'
import { MachineError } from '../../../contract/errors.ts'
import { runCommand } from '../host/run-command.ts'
import type { UidRange } from '../oci/uid-ranges.ts'
import type { Places } from '../places.ts'
import { useOfDisk } from './disk-use.ts'

const MiB = 1024 * 1024
const blockSize = 4096
const groupMiB = 128

/**
 * A machine's disk: a file with a filesystem of the spec's size, mounted by loop. The limit is real on every
 * host filesystem, also where the kernel has no project quotas; removing the machine is removing one file.
 * Without a journal: a crash of the host is repaired by fsck, and an idle machine writes nothing.
 * The file is sparse, and so the host may run out of space before the machine does, unless the whole is allocated.
 */
export async function formatDisk(path: string, diskMiB: number, isAllocated: boolean): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.truncate(diskMiB * MiB)
  } finally {
    await file.close()
  }
  const features = ['-O', '^has_journal,^resize_inode', '-b', String(blockSize), '-m', '0']
  const extended = ['-E', 'lazy_itable_init=1,nodiscard,packed_meta_blocks=1']
  await runCommand('mkfs.ext4', ['-q', '-F', ...features, ...extended, path])
  await allocate(path, isAllocated ? diskMiB * MiB : bookkeepingBytes(diskMiB))
}

/**
 * The superblock, the group descriptors and the bitmaps, which packed_meta_blocks puts in front. No fsync writes the
 * bitmaps: if the host had no space for them, blocks of a file that was acknowledged would look free after the next mount.
 */
function bookkeepingBytes(diskMiB: number): number {
  const groups = Math.ceil(diskMiB / groupMiB)
  const descriptorBlocks = Math.ceil((groups * 64) / blockSize)
  return (1 + descriptorBlocks + 2 * groups) * blockSize
}

async function allocate(path: string, bytes: number): Promise<void> {
  await runCommand('fallocate', ['--length', String(bytes), path]).catch(cause => {
    throw new MachineError('NO_CAPACITY', 'The host has no space for the disk of one more machine.', {
      cause,
    })
  })
}

/** `discard` gives the host back what the machine deletes. A disk that was allocated whole keeps its space. */
export async function mountDisk(places: Places, range: UidRange): Promise<void> {
  await mkdir(places.diskMount, { recursive: true })
  const discard = (await isAllocated(places.disk)) ? 'nodiscard' : 'discard'
  const options = `loop,noatime,${discard},nodev,noinit_itable`
  await runCommand('mount', ['-t', 'ext4', '-o', options, places.disk, places.diskMount])
  await mkdir(places.work, { recursive: true })
  await mkdir(places.upper, { recursive: true })
  await chmod(places.upper, 0o755)
  await chown(places.upper, range.base, range.base)
}

/** Whether the host has set aside all that the disk may take, so that no write of the machine can fail for its sake. */
export async function isAllocated(path: string): Promise<boolean> {
  const use = await useOfDisk(path)
  return use !== undefined && use.takenMiB >= use.promisedMiB
}

/** After the host went down without unmounting. */
export async function mendDisk(places: Places): Promise<void> {
  // 1 says that errors were found and corrected.
  await runCommand('sh', ['-c', 'fsck.ext4 -p "$0" || [ $? -eq 1 ]', places.disk])
}
