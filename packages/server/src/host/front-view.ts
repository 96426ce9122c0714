import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FrontUser } from './front-record.ts'

/** How the front sees a file or a folder of the host. A copy is a file that only the front can read, and not change. */
export interface Seen {
  readonly how: 'read-only' | 'writable' | 'copy'
  readonly path: string
}

/** What differs from the host in the mounts of the front. */
export interface FrontView {
  /** Folders that are empty for the front, except for what is seen below them. */
  readonly covered: readonly string[]
  /** Outer folders first. */
  readonly seen: readonly Seen[]
}

/**
 * The front sees its files where they are, whatever the folders above them allow. A folder above them that it cannot
 * search, or that belongs to it, so that it could replace what the host finds below, is covered.
 */
export async function viewOf(wanted: readonly Seen[], user: FrontUser): Promise<FrontView> {
  const existing: Seen[] = []
  for (const one of wanted) if (await stat(one.path).catch(() => undefined)) existing.push(one)
  const covered = new Set<string>()
  for (const { path } of existing) {
    const cover = await outermost(path, user)
    if (cover !== undefined) covered.add(cover)
  }
  return { covered: [...covered], seen: existing.toSorted((a, b) => a.path.length - b.path.length) }
}

async function outermost(path: string, user: FrontUser): Promise<string | undefined> {
  const above: string[] = []
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) above.unshift(folder)
  for (const folder of above) {
    const { uid, gid, mode } = await stat(folder)
    const canSearch = (mode & (gid === user.gid ? 0o010 : 0o001)) !== 0
    if (uid === user.uid || !canSearch) return folder
  }
  return undefined
}
