import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../options.ts'

/** A folder with a file for each disk that shares blocks with another one, named after the disk. */
const folderIn = (disksDir: string) => join(disksDir, 'shared')

/**
 * How much of a disk is shared with others, at most: the file system says how much a disk occupies, but not how much of that
 * it would have to copy before a write.
 */
export async function sharedMiB(disksDir: string, disk: string): Promise<number> {
  return Number(await readFile(join(folderIn(disksDir), disk), 'utf8').catch(() => 0))
}

/** The disks that share blocks. Most do not, and asking for each one would take longer than this. */
export async function notedShared(disksDir: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(folderIn(disksDir)).catch(() => []))
}

export async function noteShared(
  { disksDir }: Pick<Settings, 'disksDir'>,
  disk: string,
  amountMiB: number,
): Promise<void> {
  const folder = folderIn(disksDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, `${disk}.new`), String(Math.ceil(amountMiB)))
  await rename(join(folder, `${disk}.new`), join(folder, disk))
}

/** The note follows a disk that gets another name. */
export async function moveShared(
  { disksDir }: Pick<Settings, 'disksDir'>,
  from: string,
  to: string,
): Promise<void> {
  const folder = folderIn(disksDir)
  await rename(join(folder, from), join(folder, to)).catch(() => {})
}

export async function forgetShared({ disksDir }: Pick<Settings, 'disksDir'>, disk: string): Promise<void> {
  await rm(join(folderIn(disksDir), disk), { force: true })
}
