import type { Stats } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file, folder or symlink of this computer. */
export interface LocalEntry {
  readonly kind: 'file' | 'folder' | 'link'
  /** Relative to the folder that is copied, with slashes; empty for that folder itself. */
  readonly name: string
  readonly path: string
  readonly size: number
  readonly mode: number
  readonly modified: Date
  /** Of a symlink, exactly as stored. */
  readonly target: string | undefined
}

export interface FolderList {
  /** Every folder comes before what is in it. */
  readonly entries: readonly LocalEntry[]
  /** What cannot be copied, and why. */
  readonly failures: readonly string[]
}

/** Lists a folder and everything below it. Symlinks are listed and not followed. */
export async function listFolder(path: string): Promise<FolderList> {
  const entries: LocalEntry[] = []
  const failures: string[] = []
  await add(path, '', { entries, failures })
  return { entries, failures }
}

async function add(
  path: string,
  name: string,
  list: { readonly entries: LocalEntry[]; readonly failures: string[] },
): Promise<void> {
  try {
    const entry = await describe(path, name)
    if (!entry) {
      list.failures.push(`${path}: neither a file, a folder nor a symlink`)
      return
    }
    list.entries.push(entry)
    if (entry.kind !== 'folder') return
    for (const child of (await readdir(path)).sort())
      await add(join(path, child), name === '' ? child : `${name}/${child}`, list)
  } catch (error) {
    list.failures.push(`${path}: ${error instanceof Error ? error.message : error}`)
  }
}

async function describe(path: string, name: string): Promise<LocalEntry | undefined> {
  // The folder that was named may itself be a symlink, which is followed.
  const stats = await (name === '' ? stat : lstat)(path)
  const kind = kindOf(stats)
  if (!kind) return undefined
  return {
    kind,
    name,
    path,
    size: kind === 'file' ? stats.size : 0,
    mode: stats.mode & 0o777,
    // `mtime` is rounded, and would be in the next second at the end of one.
    modified: new Date(Math.floor(stats.mtimeMs)),
    target: kind === 'link' ? await readlink(path) : undefined,
  }
}

function kindOf(stats: Stats): LocalEntry['kind'] | undefined {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : undefined
}
