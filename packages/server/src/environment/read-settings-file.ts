import { readFileSync, statSync } from 'node:fs'
import { SettingError } from '../setting-table.ts'

export interface SettingsFile {
  readonly text: string
  /** Whether every user of the host can read it. */
  readonly isReadableByAll: boolean
}

/** Reads a file that a setting names. Throws a {@link SettingError} that names the setting, and says how to fix it. */
export function readSettingsFile(setting: string, path: string): SettingsFile {
  try {
    const { mode } = statSync(path)
    if ((mode & 0o002) !== 0)
      throw new SettingError(
        `Every user of this host can change ${path}, which ${setting} names. Run: chmod o= ${path}`,
      )
    return { text: readFileSync(path, 'utf8'), isReadableByAll: (mode & 0o004) !== 0 }
  } catch (error) {
    if (error instanceof SettingError) throw error
    throw new SettingError(`${setting}: ${problemOf(error, path)}`, { cause: error })
  }
}

export function refuseReadableByAll(setting: string, path: string): never {
  throw new SettingError(
    `Every user of this host can read ${path}, which contains a secret (${setting}). Run: chmod o= ${path}`,
  )
}

function problemOf(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `there is no file ${path}. Create it, or correct the path.`
  if (code === 'EISDIR') return `${path} is a folder. Name the file in it.`
  if (code === 'EACCES' || code === 'EPERM')
    return `this user may not read ${path}. Run the command with sudo, or give the file to this user with chown.`
  return `${path} cannot be read: ${error instanceof Error ? error.message : error}.`
}
