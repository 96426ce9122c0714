import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import pino from 'pino'
import { z } from 'zod'
import { verifyAudit } from '../audit/chain.ts'
import { withOwnerDatabase } from '../owner-database.ts'
import { startService } from '../service.ts'
import { ownerAddress } from '../service-database.ts'
import { readSettings, type Settings } from '../settings.ts'
import { cleanup } from '../testing/cleanup.ts'
import { createTestDatabase } from '../testing/database.ts'
import { S3Server } from '../testing/s3-server.ts'
import { startTestService } from '../testing/test-service.ts'
import { BackupKey, type Sealing, unencrypted } from './backup-key.ts'
import { createBackup, type MadeBackup } from './create-backup.ts'
import { readDataFiles } from './data-files.ts'
import { Repository } from './repository.ts'
import { restoreBackup } from './restore-backup.ts'
import { FolderStorage } from './storage/folder-storage.ts'
import { openBackupStorage } from './storage/open-storage.ts'
import type { BackupStorage } from './storage/storage.ts'

const run = promisify(execFile)
const source = await startTestService()
const sourceSettings = readSettings({
  SANDGLASS_DATA: source.folder,
  ...(source.databaseUrl !== undefined && { DATABASE_URL: source.databaseUrl }),
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-backups-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function backUp(folder: string, sealing: Sealing = unencrypted, keep?: number): Promise<MadeBackup> {
  return await createBackup({
    address: ownerAddress(sourceSettings),
    storage: new FolderStorage(folder),
    sealing,
    nodeId: null,
    files: await readDataFiles(sourceSettings),
    keep,
  })
}

/** The settings of an installation that is empty. */
async function emptySettings(): Promise<Settings> {
  const database = await createTestDatabase()
  if (database) cleanup.defer(() => database.drop())
  return readSettings({
    SANDGLASS_DATA: join(await newFolder(), 'data'),
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
    SANDGLASS_DISK_RESERVE: '0',
    ...(database && { DATABASE_URL: database.url }),
  })
}

const databaseOnly = { openTransfer: async () => undefined, tell: () => {} }

async function restore(folder: string, settings: Settings, sealing: Sealing = unencrypted): Promise<void> {
  const repository = await Repository.open(new FolderStorage(folder), sealing)
  await restoreBackup({ settings, repository, ...databaseOnly })
}

/** The paths of the chunks of a folder. */
async function chunksOf(folder: string): Promise<string[]> {
  const found = await readdir(join(folder, 'chunks'), { recursive: true, withFileTypes: true })
  return found.filter(one => one.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

const Projects = z.array(z.object({ name: z.string() }))

test('every change that was acknowledged before the backup began is in it, and keys work elsewhere', async () => {
  const folder = await newFolder()
  const acknowledged: string[] = []
  const ending = new AbortController()
  const changing = (async () => {
    for (let number = 0; !ending.signal.aborted; number++) {
      const { status } = await source.post('~/projects', { name: `project ${number}` })
      assert.equal(status, 200)
      acknowledged.push(`project ${number}`)
    }
  })()
  const viewer = await source.keyOf('viewer')
  while (acknowledged.length < 20) await source.get('~/projects')
  const before = [...acknowledged]
  await backUp(folder)
  ending.abort()
  await changing

  const settings = await emptySettings()
  await restore(folder, settings)
  const restored = await startService(settings, pino({ level: 'silent' }))
  cleanup.defer(() => restored.close())
  assert.equal(restored.hasNewCredentials, false)
  assert.equal(restored.credentials.apiKey, source.service.credentials.apiKey)
  for (const apiKey of [viewer, restored.credentials.apiKey]) {
    const response = await fetch(`${restored.url}/api/orgs/${source.orgId}/projects`, {
      headers: { 'x-api-key': apiKey },
    })
    assert.equal(response.status, 200)
    const names = new Set(Projects.parse(await response.json()).map(({ name }) => name))
    assert.deepEqual(
      before.filter(name => !names.has(name)),
      [],
    )
  }
  const created = await fetch(`${restored.url}/api/orgs/${source.orgId}/projects`, {
    method: 'POST',
    headers: { 'x-api-key': restored.credentials.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'after the restore' }),
  })
  assert.equal(created.status, 200)
  const nodes = await fetch(`${restored.url}/api/operator/nodes`, {
    headers: { 'x-api-key': source.service.credentials.operatorKey },
  })
  assert.equal(nodes.status, 200)
  const { breaks } = await withOwnerDatabase(settings, db => verifyAudit(db))
  assert.deepEqual(breaks, [])
})

test('a second backup stores only what has changed, and the oldest ones are removed with what only they need', async () => {
  const folder = await newFolder()
  await backUp(folder)
  const chunks = await chunksOf(folder)
  const second = await backUp(folder)
  const again = await chunksOf(folder)
  assert.deepEqual(
    chunks.filter(path => !again.includes(path)),
    [],
  )
  assert.ok(again.length < chunks.length + 5, `${chunks.length} chunks became ${again.length}`)
  await source.post('~/projects', { name: 'one more' })
  const third = await backUp(folder, unencrypted, 1)
  assert.equal(third.removed.length, 2)
  const repository = await Repository.open(new FolderStorage(folder), unencrypted)
  assert.deepEqual(await repository.ids(), [third.manifest.id])
  assert.ok(third.manifest.id > second.manifest.id)
  await repository.verify(await repository.manifest(third.manifest.id))
})

test('a backup with a key shows nothing without it, and another key is refused in one sentence', async () => {
  const folder = await newFolder()
  const key = BackupKey.generate()
  await source.post('~/projects', { name: 'a name that must stay secret' })
  await backUp(folder, key)
  for (const path of await chunksOf(folder)) {
    const content = await readFile(path)
    assert.ok(!content.includes('secret') && !content.includes(source.orgId), path)
  }
  const settings = await emptySettings()
  await assert.rejects(restore(folder, settings), /are encrypted; set SANDGLASS_BACKUP_KEY_FILE/)
  await assert.rejects(
    restore(folder, settings, BackupKey.generate()),
    /are encrypted with another key than the one in SANDGLASS_BACKUP_KEY_FILE\.$/,
  )
  await assert.rejects(backUp(folder), /are encrypted/)
  assert.deepEqual(await readdir(settings.SANDGLASS_DATA).catch(() => []), [])
  await restore(folder, settings, BackupKey.parse(key.text))
})

test('a backup that is truncated, changed or incomplete is refused before anything is changed', async () => {
  for (const sealing of [unencrypted, BackupKey.generate()]) {
    const folder = await newFolder()
    await backUp(folder, sealing)
    const settings = await emptySettings()
    const [first = '', second = ''] = await chunksOf(folder)
    const content = await readFile(first)
    const changed = Buffer.from(content)
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1
    for (const [damage, says] of [
      [() => truncate(first, content.length - 1), /was truncated or changed\.$/],
      [() => truncate(first, 0), /was truncated or changed\.$/],
      [() => writeFile(first, changed), /was truncated or changed\.$/],
      [async () => writeFile(first, await readFile(second)), /was truncated or changed\.$/],
      [() => rm(first), /is missing/],
    ] as const) {
      await damage()
      await assert.rejects(restore(folder, settings, sealing), says)
      assert.deepEqual(await readdir(settings.SANDGLASS_DATA).catch(() => []), [])
      await writeFile(first, content)
    }
    const [manifest = ''] = await readdir(join(folder, 'backups'))
    await truncate(join(folder, 'backups', manifest), 40)
    await assert.rejects(restore(folder, settings, sealing), /is damaged\.$/)
  }
})

test('an installation that is not empty is refused in one sentence', async () => {
  const folder = await newFolder()
  await backUp(folder)
  await assert.rejects(
    restore(folder, sourceSettings),
    /^BackupError: The data directory \S+ is not empty \(it has .*\); restore into a new one with SANDGLASS_DATA\.$/,
  )
  const settings = await emptySettings()
  await restore(folder, settings)
  await assert.rejects(restore(folder, settings), /is not empty/)
  const used = { ...settings, SANDGLASS_DATA: join(await newFolder(), 'data') }
  if (settings.DATABASE_URL !== undefined) {
    await assert.rejects(restore(folder, used), /The database .* is not empty/)
    assert.deepEqual(await readdir(used.SANDGLASS_DATA), ['lock'])
  }
})

test('a restore that fails half-way leaves nothing, and can be repeated', async () => {
  const folder = await newFolder()
  await backUp(folder)
  const settings = await emptySettings()
  const storage = new FolderStorage(folder)
  const repository = await Repository.open(storage, unencrypted)
  const [id = ''] = await repository.ids()
  const manifest = await repository.manifest(id)
  const { chunks = [] } = manifest.database.tables.findLast(({ content }) => content.bytes > 0)?.content ?? {}
  const reads = new Set<string>()
  // The storage is there while the backup is verified, and gone afterwards.
  const interrupted: BackupStorage = {
    shown: folder,
    get: async name => {
      if (reads.has(name) && chunks.some(chunk => name.endsWith(chunk)))
        throw new Error('the storage is gone')
      reads.add(name)
      return await storage.get(name)
    },
    put: (name, body) => storage.put(name, body),
    delete: name => storage.delete(name),
    list: prefix => storage.list(prefix),
  }
  await assert.rejects(
    restoreBackup({ settings, repository: await Repository.open(interrupted, unencrypted), ...databaseOnly }),
    /the storage is gone/,
  )
  assert.deepEqual(await readdir(settings.SANDGLASS_DATA), ['lock'])
  await restore(folder, settings)
})

test('a full folder and a full target are said to be full, and nothing is begun', async () => {
  const full = await newFolder()
  await run('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', full])
  cleanup.defer(() => run('umount', [full]).then(() => {}))
  await assert.rejects(
    backUp(full),
    /^BackupStorageError: The folder \S+ of the backups cannot be used: no space is left on it\.$/,
  )
  assert.deepEqual(await (await Repository.open(new FolderStorage(full), unencrypted)).ids(), [])

  const folder = await newFolder()
  await backUp(folder)
  const settings = { ...(await emptySettings()), SANDGLASS_DISK_RESERVE: 1_000_000_000 }
  await assert.rejects(restore(folder, settings), /has too little space: the backup needs \d+ MiB/)
  assert.deepEqual(await readdir(settings.SANDGLASS_DATA).catch(() => []), [])
})

test('backups of another installation are left alone', async () => {
  const folder = await newFolder()
  await backUp(folder)
  const marker = join(folder, 'sandglass-backups.json')
  const other = (await readFile(marker, 'utf8')).replace(/"installation": "[^"]*"/, '"installation": "other"')
  await writeFile(marker, other)
  await assert.rejects(backUp(folder), /has the backups of another installation/)
})

test('a bucket is as good as a folder, and its failures are clear', async () => {
  const storage = await S3Server.start()
  const settings = readSettings({
    SANDGLASS_BACKUP_S3_ENDPOINT: storage.endpoint,
    SANDGLASS_BACKUP_S3_REGION: storage.keys.region,
    SANDGLASS_BACKUP_S3_ACCESS_KEY_ID: storage.keys.accessKeyId,
    SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY: storage.keys.secretAccessKey,
    SANDGLASS_BACKUP_TO: `s3://${storage.bucket}/of/this`,
  })
  const place = settings.SANDGLASS_BACKUP_TO
  assert.ok(place)
  const bucket = openBackupStorage(place, settings)
  const sealing = BackupKey.generate()
  const parts = {
    address: ownerAddress(sourceSettings),
    storage: bucket,
    sealing,
    nodeId: null,
    files: await readDataFiles(sourceSettings),
  }
  const first = await createBackup(parts)
  const { manifest, removed } = await createBackup({ ...parts, keep: 1 })
  assert.deepEqual(removed, [first.manifest.id])
  assert.ok([...storage.objects.keys()].every(key => key.startsWith('of/this/')))
  const target = await emptySettings()
  const repository = await Repository.open(bucket, sealing)
  assert.equal((await restoreBackup({ settings: target, repository, ...databaseOnly })).id, manifest.id)
  const wrong = openBackupStorage(place, { ...settings, SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY: 'wrong' })
  await assert.rejects(
    Repository.open(wrong, sealing),
    /The backups in s3:\/\/pictures\/of\/this\/ cannot be used\. .*answers 403/,
  )
  const objects = storage.objects.size
  await storage.stop()
  await assert.rejects(createBackup(parts), /cannot be used\. The backup storage is not available/)
  assert.equal(storage.objects.size, objects)
})
