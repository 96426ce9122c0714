import { rm } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Transfer } from '@sandglass/machines/contract'
import type pg from 'pg'
import { readSecretKeys, secretKeyFile } from '../auth/secret-key-source.ts'
import { SecretKeys } from '../auth/secret-keys.ts'
import { DataDirectory } from '../data-directory.ts'
import { EmbeddedPostgres } from '../db/embedded/server.ts'
import { migrate, migrationNames } from '../db/migrate.ts'
import { transact } from '../db/transact.ts'
import { embeddedFolder, ownerAddress } from '../service-database.ts'
import type { Settings } from '../settings.ts'
import { loadDatabase } from './database/load-database.ts'
import { openConnection } from './database/one-connection.ts'
import { isEmpty } from './database/tables.ts'
import { requireEmptyFolder, requireSpace } from './empty-installation.ts'
import { restoreKept } from './kept/restore-kept.ts'
import type { KeptCopy, Manifest } from './manifest.ts'
import { BackupError, type Repository } from './repository.ts'
import { becomeNewInstallation, type NewIdentity, newIdentity } from './restored-installation.ts'

export interface RestoreParts {
  readonly settings: Settings
  readonly repository: Repository
  /** The id of the backup; the newest one if it is omitted. */
  readonly id?: string | undefined
  /** Opens the part of an engine that takes in what it kept elsewhere. Undefined if this installation does not use the engine. */
  readonly openTransfer: (engine: string) => Promise<Transfer | undefined>
  readonly tell: (line: string) => void
}

/**
 * Restores a backup into an empty data directory and an empty database. It reads the whole backup before it changes anything, and
 * if it fails later, it removes what it has made.
 */
export async function restoreBackup({
  settings,
  repository,
  id,
  openTransfer,
  tell,
}: RestoreParts): Promise<Manifest> {
  await requireEmptyFolder(settings.SANDGLASS_DATA)
  const manifest = await repository.manifest(id ?? (await repository.newest()))
  requireKnownVersion(manifest)
  await requireSpace(settings, manifest)
  const keys = await keysOf(repository, manifest)
  await requireSameKeys(settings, keys)
  if (settings.DATABASE_URL !== undefined) {
    await using connection = await openConnection(ownerAddress(settings))
    await requireEmptyDatabase(settings, connection.client)
  }
  tell(`Checking the backup ${manifest.id} of ${manifest.at}.`)
  await repository.verify(manifest)
  await using undo = new AsyncDisposableStack()
  const data = await DataDirectory.lock(settings.SANDGLASS_DATA)
  undo.defer(() => data.release())
  await requireEmptyFolder(settings.SANDGLASS_DATA)
  const made = undo.use(new AsyncDisposableStack())
  const identity = newIdentity()
  await restoreFiles(data, { repository, manifest, identity, settings }, made)
  if (settings.DATABASE_URL === undefined) await startEmpty(data, undo, made)
  const brought = await restoreKept({ repository, manifest, identity, openTransfer, tell }, made)
  tell('Restoring the database.')
  await restoreDatabase(settings, { repository, manifest, identity, brought })
  made.move()
  return manifest
}

async function requireEmptyDatabase(settings: Settings, client: pg.ClientBase): Promise<void> {
  if (!(await isEmpty(client)))
    throw new BackupError(
      `The database ${ownerAddress(settings).shown} is not empty; restore into an empty one.`,
    )
}

function requireKnownVersion({ id, version, database }: Manifest): void {
  if (database.migrations.some(name => !migrationNames.includes(name)))
    throw new BackupError(
      `The backup ${id} was made by a newer version of the service (${version}); restore it with that version or a newer one.`,
    )
}

async function keysOf(repository: Repository, { files }: Manifest): Promise<SecretKeys | undefined> {
  const file = files.find(({ name }) => name === secretKeyFile)
  return file && SecretKeys.parse(String(await buffer(repository.read(file.content))))
}

/** A setting can have the secret key, which must then be the one that the database needs. */
async function requireSameKeys(settings: Settings, keys: SecretKeys | undefined): Promise<void> {
  if (settings.SANDGLASS_SECRET_KEY === undefined && settings.SANDGLASS_SECRET_KEY_FILE === undefined) return
  const source = await readSecretKeys(settings)
  if (keys && !source.keys?.ids.includes(keys.ids[0]))
    throw new BackupError(
      `The backup belongs to the secret key ${keys.ids[0]}, and ${source.place} has another one; remove that setting, or set it to the right key.`,
    )
}

export interface Restoring {
  readonly repository: Repository
  readonly manifest: Manifest
  readonly identity: NewIdentity
}

async function restoreFiles(
  data: DataDirectory,
  { repository, manifest, identity, settings }: Restoring & { readonly settings: Settings },
  made: AsyncDisposableStack,
): Promise<void> {
  const write = async (name: string, text: string) => {
    made.defer(() => data.remove(name))
    await data.write(name, text)
  }
  const hasKeyElsewhere =
    settings.SANDGLASS_SECRET_KEY !== undefined || settings.SANDGLASS_SECRET_KEY_FILE !== undefined
  for (const { name, content } of manifest.files)
    if (name !== secretKeyFile || !hasKeyElsewhere)
      await write(name, String(await buffer(repository.read(content))))
  await write('node-id', `${identity.nodeId}\n`)
  await write('installation', `${identity.installation}\n`)
}

async function startEmpty(
  data: DataDirectory,
  undo: AsyncDisposableStack,
  made: AsyncDisposableStack,
): Promise<void> {
  const folder = embeddedFolder(data.path)
  made.defer(() => rm(folder, { recursive: true, force: true }))
  const embedded = await EmbeddedPostgres.start(folder, { info: () => {}, warn: console.error })
  // It must end before its folder is removed, and before the lock is released.
  made.defer(() => embedded.stop())
  undo.defer(() => embedded.stop())
}

async function restoreDatabase(
  settings: Settings,
  { repository, manifest, identity, brought }: Restoring & { readonly brought: readonly KeptCopy[] },
): Promise<void> {
  await using connection = await openConnection(ownerAddress(settings))
  const { client, db } = connection
  await requireEmptyDatabase(settings, client)
  await transact(db, async tx => {
    await migrate(tx, manifest.database.migrations.at(-1))
    await loadDatabase(client, manifest.database, content => repository.read(content))
    await migrate(tx)
    await becomeNewInstallation(tx, identity, manifest, brought)
  })
}
