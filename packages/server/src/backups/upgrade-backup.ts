import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { DatabaseAddress } from '../db/address.ts'
import type { Database } from '../db/database.ts'
import { migrationNames } from '../db/migrate.ts'
import type { Settings } from '../settings.ts'
import { version } from '../version.ts'
import { unencrypted } from './backup-key.ts'
import { createBackup } from './create-backup.ts'
import { readDataFiles } from './data-files.ts'
import { FolderStorage } from './storage/folder-storage.ts'

/** The folder of the data directory with the backups that were made before upgrades. */
export const upgradeBackups = 'before-upgrades'

/** A backup names its installation, which databases have since this migration. */
const firstWithInstallation = '0008-installation'

/** Throws if a newer version of the service has migrated the database. */
export async function refuseNewerDatabase(db: Database): Promise<void> {
  const unknown = (await appliedTo(db)).find(name => !migrationNames.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `a newer version of the service has upgraded it (${unknown} is unknown to version ${version}), so start that version, or restore the backup from before the upgrade`,
    )
}

/**
 * Backs up a database that is about to be migrated, into the data directory. A new one, or one that is up to date, is not backed up.
 */
export async function backUpBeforeUpgrade(
  db: Database,
  address: DatabaseAddress,
  settings: Settings,
): Promise<void> {
  const keep = settings.SANDGLASS_UPGRADE_BACKUPS
  const applied = await appliedTo(db)
  if (keep === 0 || applied.length === migrationNames.length || !applied.includes(firstWithInstallation))
    return
  const folder = join(settings.SANDGLASS_DATA, upgradeBackups)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await createBackup({
      address,
      storage: new FolderStorage(folder),
      sealing: settings.SANDGLASS_BACKUP_KEY ?? unencrypted,
      nodeId: null,
      files: await readDataFiles(settings),
      keep,
      waits: true,
    })
  } catch (cause) {
    const problem = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '')
    throw new Error(
      `it was not upgraded, because it could not be backed up before (${problem}); SANDGLASS_UPGRADE_BACKUPS=0 upgrades without a backup`,
      { cause },
    )
  }
}

/** The migrations that were applied; none for a new database. */
async function appliedTo(db: Database): Promise<string[]> {
  const { rows } = await sql<{
    is: boolean
  }>`SELECT to_regclass('kysely_migration') IS NOT NULL AS is`.execute(db)
  if (!rows[0]?.is) return []
  const applied = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  return applied.rows.map(({ name }) => name)
}
