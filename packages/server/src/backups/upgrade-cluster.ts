import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import { clusterName, majorOfCluster, replacedName, upgradedName } from '../db/embedded/cluster.ts'
import { endPredecessors } from '../db/embedded/predecessors.ts'
import type { Reports } from '../db/embedded/reports.ts'
import { type EmbeddedOptions, EmbeddedPostgres } from '../db/embedded/server.ts'
import { migrate } from '../db/migrate.ts'
import { transact } from '../db/transact.ts'
import { embeddedFolder, ownerAddress } from '../service-database.ts'
import type { Settings } from '../settings.ts'
import { unencrypted } from './backup-key.ts'
import { createBackup } from './create-backup.ts'
import { readDataFiles } from './data-files.ts'
import { loadDatabase } from './database/load-database.ts'
import { type OneConnection, openConnection } from './database/one-connection.ts'
import { requireSpace } from './empty-installation.ts'
import type { Manifest } from './manifest.ts'
import { Repository } from './repository.ts'
import { FolderStorage } from './storage/folder-storage.ts'
import { refuseNewerDatabase, upgradeBackups } from './upgrade-backup.ts'

export interface ClusterUpgrade {
  readonly settings: Settings
  /** The folder of the PostgreSQL that has made the database, which only reads it. */
  readonly programs: string
  readonly tell: (line: string) => void
}

const reports: Reports = { info: () => {}, warn: console.error }

/**
 * Copies the embedded database into a new one of the installed PostgreSQL, and puts the old one aside. The data directory must be
 * locked. It can be repeated after it was interrupted at any moment: the old database stays where it is until the copy is complete.
 */
export async function upgradeCluster(upgrade: ClusterUpgrade): Promise<void> {
  const { settings, tell } = upgrade
  const folder = embeddedFolder(settings.SANDGLASS_DATA)
  const major = await majorOfCluster(folder)
  if (major === undefined) return await finishUpgrade(folder)
  const aside = join(folder, replacedName(major))
  if (await isThere(aside))
    throw new Error(`${aside} has a database of an earlier upgrade. Move it away, and run this again.`)
  await removeCopy(folder)
  try {
    await copyCluster(upgrade, folder, major)
  } catch (error) {
    await removeCopy(folder)
    throw error
  }
  await rename(join(folder, clusterName), aside)
  await finishUpgrade(folder)
  tell(`The database of PostgreSQL ${major} is in ${aside}. Remove it when you no longer need it.`)
}

/** The second of two renames. If only the first has happened, the copy is complete. */
export async function finishUpgrade(folder: string): Promise<void> {
  await rename(join(folder, upgradedName), join(folder, clusterName))
  const opened = await open(folder)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

async function copyCluster({ settings, programs, tell }: ClusterUpgrade, folder: string, major: number) {
  const storage = new FolderStorage(join(settings.SANDGLASS_DATA, upgradeBackups))
  const sealing = settings.SANDGLASS_BACKUP_KEY ?? unencrypted
  tell(`Backing up the database of PostgreSQL ${major} into ${storage.shown}.`)
  await mkdir(storage.shown, { recursive: true, mode: 0o700 })
  const manifest = await serving(folder, { home: programs }, settings, async ({ db }) => {
    await refuse(db)
    const { manifest: made } = await createBackup({
      address: ownerAddress(settings),
      storage,
      sealing,
      nodeId: null,
      files: await readDataFiles(settings),
      keep: Math.max(settings.SANDGLASS_UPGRADE_BACKUPS, 1),
    })
    return made
  })
  await requireSpace(settings, manifest)
  tell('Copying it into a new database.')
  const repository = await Repository.open(storage, sealing)
  await serving(folder, { cluster: upgradedName }, settings, connection =>
    load(connection, manifest, repository),
  )
}

async function refuse(db: Database): Promise<void> {
  await refuseNewerDatabase(db).catch(cause => {
    throw new Error(`The database cannot be upgraded: ${cause.message}.`, { cause })
  })
}

/** The next start of the service migrates it on, and lets its role use the tables. */
async function load(
  { client, db }: OneConnection,
  manifest: Manifest,
  repository: Repository,
): Promise<void> {
  await transact(db, async tx => {
    await migrate(tx, manifest.database.migrations.at(-1))
    await loadDatabase(client, manifest.database, content => repository.read(content))
  })
  // Otherwise queries would be slow until PostgreSQL has noticed by itself what the tables contain.
  await client.query('ANALYZE')
}

/** Runs a server, until the work is done, of which everything is on the disk then. */
async function serving<T>(
  folder: string,
  options: EmbeddedOptions,
  settings: Settings,
  work: (connection: OneConnection) => Promise<T>,
): Promise<T> {
  const server = await EmbeddedPostgres.start(folder, reports, options)
  try {
    await using connection = await openConnection(ownerAddress(settings))
    return await work(connection)
  } finally {
    await server.stop()
  }
}

/** The server of an upgrade that was killed may still be writing. */
async function removeCopy(folder: string): Promise<void> {
  if ((await majorOfCluster(folder, upgradedName)) !== undefined)
    await endPredecessors(folder, reports, new AbortController().signal, upgradedName)
  for (const name of [upgradedName, `${upgradedName}.new`])
    await rm(join(folder, name), { recursive: true, force: true })
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
