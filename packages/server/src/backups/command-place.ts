import { SettingError } from '../setting-table.ts'
import type { Settings } from '../settings.ts'
import { type BackupPlace, backupPlace } from './backup-place.ts'

/** The place that an option of a command names, or else the one of the settings. */
export function backupCommandPlace(
  option: string,
  given: string | undefined,
  settings: Settings,
): BackupPlace {
  if (given === undefined) {
    const place = settings.SANDGLASS_BACKUP_TO
    if (place) return place
    throw new SettingError(`Name a folder or s3://bucket/prefix with ${option}, or set SANDGLASS_BACKUP_TO.`)
  }
  const parsed = backupPlace.safeParse(given)
  if (!parsed.success) throw new SettingError(`${option} ${parsed.error.issues[0]?.message}.`)
  return parsed.data
}
