import { readFile } from 'node:fs/promises'
import { SettingError } from '../setting-table.ts'
import type { Settings } from '../settings.ts'
import { BackupKey, type Sealing, unencrypted } from './backup-key.ts'

/** Reads the operator's key for backups. Without one, backups are not encrypted. */
export async function readSealing(
  settings: Pick<Settings, 'SANDGLASS_BACKUP_KEY' | 'SANDGLASS_BACKUP_KEY_FILE'>,
): Promise<Sealing> {
  const { SANDGLASS_BACKUP_KEY: given, SANDGLASS_BACKUP_KEY_FILE: file } = settings
  if (given) return given
  if (file === undefined) return unencrypted
  const text = await readFile(file, 'utf8').catch(cause => {
    throw new SettingError(`SANDGLASS_BACKUP_KEY_FILE cannot be read: ${cause.message}.`, { cause })
  })
  const key = BackupKey.parse(text)
  if (!key)
    throw new SettingError(
      `${file} has no key for backups. It must contain one as npm run backup -- --new-key prints it.`,
    )
  return key
}
