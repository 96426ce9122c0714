import { existsSync } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Settings } from '../settings.ts'
import type { Manifest } from './manifest.ts'
import { BackupError } from './repository.ts'

const MiB = 1024 * 1024

/** What may be in the data directory of an installation that is otherwise empty, because it contains nothing of it. */
const harmless = new Set(['images', 'packages', 'lock'])

/** The database and its indexes take more than the rows do, and a new one takes some by itself. */
const databaseFactor = 3
const databaseMiB = 128

export async function requireEmptyFolder(path: string): Promise<void> {
  const names = await readdir(path).catch(cause => {
    if (cause.code === 'ENOENT') return []
    throw new BackupError(`The data directory ${path} cannot be read: ${cause.message}.`, { cause })
  })
  const found = names.filter(name => !harmless.has(name)).sort()
  if (found.length > 0)
    throw new BackupError(
      `The data directory ${path} is not empty (it has ${found.slice(0, 3).join(', ')}); restore into a new one with SANDGLASS_DATA.`,
    )
}

export async function requireSpace(settings: Settings, manifest: Manifest): Promise<void> {
  const sizeOf = (contents: Iterable<{ readonly bytes: number }>) =>
    Array.from(contents).reduce((sum, { bytes }) => sum + bytes, 0)
  const rows = sizeOf(manifest.database.tables.map(({ content }) => content))
  const database = settings.DATABASE_URL === undefined ? databaseFactor * rows + databaseMiB * MiB : 0
  const kept = manifest.kept.reduce((sum, { occupiedMiB }) => sum + occupiedMiB * MiB, 0)
  const files = sizeOf(manifest.files.map(({ content }) => content))
  const needed = files + database + kept + settings.SANDGLASS_DISK_RESERVE * MiB
  const { bavail, bsize } = await statfs(existingPart(settings.SANDGLASS_DATA))
  if (bavail * bsize < needed)
    throw new BackupError(
      `${settings.SANDGLASS_DATA} has too little space: the backup needs ${Math.ceil(needed / MiB)} MiB with SANDGLASS_DISK_RESERVE, and ${Math.floor((bavail * bsize) / MiB)} MiB are free.`,
    )
}

const existingPart = (path: string): string => (existsSync(path) ? path : existingPart(dirname(path)))
