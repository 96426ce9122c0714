import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MiB = 1024 * 1024

/** A small file system for one test, which the test can fill. */
export interface SmallDisk {
  readonly folder: string
  /** Leaves `freeMiB` MiB free for others. With 0, it also takes what becomes free in the meantime. */
  fill(freeMiB?: number): Promise<void>
  /** Uses up all inodes. */
  fillInodes(): Promise<void>
  /** Deletes what filled it. */
  empty(): Promise<void>
  /**
   * Mounts the file system inside a file as a crash of the host would leave it: data that is only in memory is
   * missing.
   */
  inside<T>(image: string, work: (folder: string) => Promise<T>): Promise<T>
  dispose(): Promise<void>
}

/** The backing file is sparse, so it takes only as much of the host's disk as is written to it. */
export async function smallDisk(sizeMiB: number, { inodes }: { inodes?: number } = {}): Promise<SmallDisk> {
  const home = await mkdtemp(join(tmpdir(), 'sandglass-disk-'))
  const [image, folder, shown] = [join(home, 'image'), join(home, 'folder'), join(home, 'shown')]
  const filler = join(folder, 'filler')
  const remove = () => rm(home, { recursive: true, force: true })
  try {
    await writeFile(image, '')
    await truncate(image, sizeMiB * MiB)
    await run('mkfs.ext4', ['-q', '-F', '-m', '0', ...(inodes ? ['-N', String(inodes)] : []), image])
    await mkdir(folder)
    await mkdir(shown)
    await run('mount', ['-o', 'loop,discard', image, folder])
  } catch (error) {
    await remove()
    throw error
  }
  return {
    folder,
    async fill(freeMiB = 0) {
      await mkdir(filler, { recursive: true })
      for (let number = 0; ; number++) {
        const { bavail, bsize } = await statfs(folder)
        const blocks = Math.floor(bavail - (freeMiB * MiB) / bsize)
        if (blocks <= 0) return
        // A large file also needs blocks for metadata, so the last blocks are filled with smaller files.
        const length = Math.max(1, Math.floor(blocks / 2)) * bsize
        await run('fallocate', ['--length', String(length), join(filler, String(number))]).catch(() => {})
      }
    },
    async fillInodes() {
      await mkdir(filler, { recursive: true })
      // Hard links take no inode, but an empty file does.
      const script = 'n=0; while : > "$0/empty-$n"; do n=$((n + 1)); done'
      while ((await statfs(folder)).ffree > 0) await run('sh', ['-c', script, filler]).catch(() => {})
    },
    empty: () => rm(filler, { recursive: true, force: true }),
    async inside(file, work) {
      const copy = join(home, 'copy')
      await run('cp', ['--sparse=always', file, copy])
      // fsck exits with an error when it has corrected something, which is normal after a crash.
      await run('fsck.ext4', ['-f', '-y', copy]).catch(() => {})
      await run('mount', ['-o', 'ro,loop', copy, shown])
      try {
        return await work(shown)
      } finally {
        await run('umount', [shown])
        await rm(copy)
      }
    },
    async dispose() {
      await run('umount', ['--lazy', folder])
      await remove()
    },
  }
}
