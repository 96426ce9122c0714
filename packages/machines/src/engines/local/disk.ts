import { chmod, chown, mkdir, open } from 'node:fs/promises'
import type { Places } from './places.ts'
import { runCommand } from './run-command.ts'
import type { UidRange } from './uid-ranges.ts'

/**
 * A machine's disk: a sparse file with a filesystem of the spec's size, mounted by loop. The limit is real on every
 * host filesystem, also where the kernel has no project quotas; removing the machine is removing one file.
 * Without a journal: a crash of the host is mended by fsck, and an idle machine writes nothing.
 */
export async function formatDisk(path: string, diskMiB: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.truncate(diskMiB * 1024 * 1024)
  } finally {
    await file.close()
  }
  await runCommand('mkfs.ext4', [
    ...[
      '-q',
      '-F',
      '-m',
      '0',
      '-O',
      '^has_journal,^resize_inode',
      '-E',
      'lazy_itable_init=1,nodiscard',
      path,
    ],
  ])
}

/** `discard` gives the host back what the machine deletes. */
export async function mountDisk(places: Places, range: UidRange): Promise<void> {
  await mkdir(places.diskMount, { recursive: true })
  await runCommand('mount', [
    ...['-t', 'ext4', '-o', 'loop,noatime,discard,nodev,noinit_itable', places.disk, places.diskMount],
  ])
  await mkdir(places.work, { recursive: true })
  await mkdir(places.upper, { recursive: true })
  await chmod(places.upper, 0o755)
  await chown(places.upper, range.base, range.base)
}

/** After the host went down without unmounting. */
export async function mendDisk(places: Places): Promise<void> {
  // 1 says that errors were found and corrected.
  await runCommand('sh', ['-c', 'fsck.ext4 -p "$0" || [ $? -eq 1 ]', places.disk])
}
