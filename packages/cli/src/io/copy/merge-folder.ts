import { chmod, lstat, readdir, rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../../failures.ts'
import { printable } from '../printable.ts'
import type { UnpackedFolder } from './unpack-folder.ts'

/**
 * Moves a folder to its final name, or what is in it into the folder that has this name already. Each file is renamed, so it is
 * there completely or not at all.
 */
export async function mergeFolder(from: string, to: string): Promise<void> {
  const existing = await lstat(to).catch(() => undefined)
  if (!existing) return await rename(from, to)
  if (!existing.isDirectory()) throw new CliError(`${printable(to)} is there already, and is not a folder.`)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await mergeFolder(source, target)
    else if ((await lstat(target).catch(() => undefined))?.isDirectory())
      throw new CliError(`${printable(target)} is a folder, and was to be replaced by a file.`)
    else await rename(source, target)
  }
}

/** Sets modes and times of folders, the deepest first: a folder without the right to write cannot be written to any more. */
export async function finishFolders(folders: readonly UnpackedFolder[], at: string): Promise<void> {
  const deepestFirst = folders.toSorted((a, b) => b.parts.length - a.parts.length)
  for (const { parts, mode, modified } of deepestFirst) {
    const path = join(at, ...parts)
    await utimes(path, modified, modified)
    await chmod(path, mode)
  }
}
