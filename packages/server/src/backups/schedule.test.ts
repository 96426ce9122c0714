import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import pino from 'pino'
import { Registry } from 'prom-client'
import { noEngines } from '../machines/engines.ts'
import { readSettings } from '../settings.ts'
import { cleanup } from '../testing/cleanup.ts'
import { startTestService } from '../testing/test-service.ts'
import { unencrypted } from './backup-key.ts'
import { Repository } from './repository.ts'
import { BackupSchedule } from './schedule.ts'
import { FolderStorage } from './storage/folder-storage.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-schedule-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const place = join(folder, 'backups')
const env = { SANDGLASS_BACKUP_TO: place, SANDGLASS_BACKUP_HOURS: '2', SANDGLASS_BACKUP_KEEP: '2' }
const service = await startTestService(env)

test('a backup that fails is an event and counted, and the next one is made when the storage is there again', async () => {
  await waitFor(async () => (await service.metric('sandglass_backup_failures_total')) === 1)
  const { body } = await service.operator('GET', '/api/operator/events?types=backup.failed')
  assert.match(body.events[0].reason, /^The folder \S+ of the backups cannot be used: it does not exist/)
  assert.equal(await service.metric('sandglass_backup_newest_timestamp_seconds'), 0)
  await mkdir(place)

  const settings = readSettings({
    ...env,
    SANDGLASS_DATA: service.folder,
    ...(service.databaseUrl !== undefined && { DATABASE_URL: service.databaseUrl }),
  })
  let hoursLater = 0
  const { signal } = new AbortController()
  const registry = new Registry()
  const schedule = new BackupSchedule({
    settings,
    db: service.pool.db,
    engines: noEngines,
    nodeId: 'this',
    now: () => Date.now() + hoursLater * 3_600_000,
    registry,
    log: pino({ level: 'silent' }),
  })
  const ids = async () => await (await Repository.open(new FolderStorage(place), unencrypted)).ids()
  await schedule.run(signal)
  const first = await ids()
  assert.equal(first.length, 1)
  await schedule.run(signal)
  assert.deepEqual(await ids(), first)
  hoursLater = 3
  await schedule.run(signal)
  assert.equal((await ids()).length, 2)
  await schedule.run(signal)
  const last = await ids()
  assert.equal(last.length, 2)
  assert.ok(!last.includes(first[0] ?? ''))
  assert.ok((await readdir(join(place, 'chunks'))).length > 0)
  const metrics = await registry.metrics()
  assert.match(metrics, /^sandglass_backup_failures_total 0$/m)
  assert.match(metrics, /^sandglass_backup_newest_timestamp_seconds 1\d{9}/m)
})
