import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openPool } from '../db/database.ts'
import { EmbeddedPostgres } from '../db/embedded/server.ts'
import { migrate, migrationNames } from '../db/migrate.ts'
import { embeddedFolder, ownerAddress, prepareDatabase } from '../service-database.ts'
import { readSettings } from '../settings.ts'
import { cleanup } from '../testing/cleanup.ts'
import { createTestDatabase } from '../testing/database.ts'
import { unencrypted } from './backup-key.ts'
import { Repository } from './repository.ts'
import { restoreBackup } from './restore-backup.ts'
import { FolderStorage } from './storage/folder-storage.ts'
import { upgradeBackups } from './upgrade-backup.ts'

const data = await mkdtemp(join(tmpdir(), 'sandglass-upgrade-'))
cleanup.defer(() => rm(data, { recursive: true, force: true }))
const database = await createTestDatabase()
if (database) cleanup.defer(() => database.drop())
else {
  const server = await EmbeddedPostgres.start(embeddedFolder(data), { info: () => {}, warn: console.warn })
  cleanup.defer(() => server.stop())
}
const settings = readSettings({ SANDGLASS_DATA: data, ...(database && { DATABASE_URL: database.url }) })
const { db, close } = openPool(ownerAddress(settings), () => {})
cleanup.defer(close)
const folder = join(data, upgradeBackups)

test('a newer service backs up an older database before it upgrades it, and the backup can be restored', async () => {
  await migrate(db, '0024-timeline')
  const organization = { id: 'o', name: 'kept', plan: 'unlimited' }
  await sql`INSERT INTO organizations (id, name, plan) VALUES (${organization.id}, ${organization.name}, ${organization.plan})`.execute(
    db,
  )
  await writeFile(folder, 'in the way')
  await assert.rejects(
    prepareDatabase(settings),
    /it was not upgraded, because it could not be backed up before/,
  )
  await rm(folder)
  assert.ok((await prepareDatabase(settings)).length > 0)
  const repository = await Repository.open(new FolderStorage(folder), unencrypted)
  const [id = '', ...others] = await repository.ids()
  assert.deepEqual(others, [])
  const manifest = await repository.manifest(id)
  assert.equal(manifest.database.migrations.at(-1), '0024-timeline')
  // A database that is up to date is not backed up again.
  assert.deepEqual(await prepareDatabase(settings), [])
  assert.deepEqual(await repository.ids(), [id])

  const target = await mkdtemp(join(tmpdir(), 'sandglass-upgrade-target-'))
  cleanup.defer(() => rm(target, { recursive: true, force: true }))
  const other = await createTestDatabase()
  if (other) cleanup.defer(() => other.drop())
  const restored = readSettings({
    SANDGLASS_DATA: join(target, 'data'),
    SANDGLASS_DISK_RESERVE: '0',
    ...(other && { DATABASE_URL: other.url }),
  })
  await restoreBackup({ settings: restored, repository, openTransfer: async () => undefined, tell: () => {} })
  if (!other) {
    const server = await EmbeddedPostgres.start(embeddedFolder(restored.SANDGLASS_DATA), {
      info: () => {},
      warn: console.warn,
    })
    cleanup.defer(() => server.stop())
  }
  const pool = openPool(ownerAddress(restored), () => {})
  cleanup.defer(() => pool.close())
  const rows = await pool.db.selectFrom('organizations').select(['id', 'name']).execute()
  assert.deepEqual(rows, [{ id: 'o', name: 'kept' }])
})

test('an older service refuses a database that a newer one has upgraded, in one sentence', async () => {
  await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-newer', 'x')`.execute(db)
  await assert.rejects(prepareDatabase(settings), error => {
    assert.ok(error instanceof Error)
    assert.match(
      error.message,
      /a newer version of the service has upgraded it \(9999-newer is unknown to version/,
    )
    return true
  })
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...migrationNames, '9999-newer'],
  )
  assert.equal((await readdir(join(folder, 'backups'))).length, 1)
})
