import { execFile } from 'node:child_process'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './service-process.ts'

const run = promisify(execFile)

export interface FileSystemSize {
  readonly sizeMiB: number
  readonly inodes?: number
}

/** A file system of this size, mounted on a folder of the test's own. The host gives it only what is written to it. */
export async function smallFileSystem({ sizeMiB, inodes }: FileSystemSize): Promise<string> {
  const image = join(await temporaryFolder(), 'image')
  await writeFile(image, '')
  await truncate(image, sizeMiB * 2 ** 20)
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', ...(inodes ? ['-N', String(inodes)] : []), image])
  const folder = await temporaryFolder()
  await run('mount', ['-o', 'loop,discard', image, folder])
  cleanup.defer(async () => void (await run('umount', ['-l', folder])))
  return folder
}
