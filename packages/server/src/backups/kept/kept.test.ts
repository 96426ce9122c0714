import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { LocalEngine, type LocalEngineOptions, LocalTransfer } from '@sandglass/machines/local'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import pino from 'pino'
import { DataDirectory } from '../../data-directory.ts'
import { openPool } from '../../db/database.ts'
import { startService } from '../../service.ts'
import { ownerAddress } from '../../service-database.ts'
import { readSettings } from '../../settings.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { enginesOf } from '../../testing/engines-of.ts'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { runInSandbox } from '../../testing/run-in-sandbox.ts'
import { startMachineService, testImages, testShapes } from '../../testing/test-machines.ts'
import { TestService } from '../../testing/test-service.ts'
import { workersOf } from '../../testing/workers-of.ts'
import { BackupKey } from '../backup-key.ts'
import { createBackup, type MadeBackup } from '../create-backup.ts'
import { readDataFiles } from '../data-files.ts'
import { keptKinds } from '../kept-kinds.ts'
import { Repository } from '../repository.ts'
import { restoreBackup } from '../restore-backup.ts'
import { FolderStorage } from '../storage/folder-storage.ts'

const machines = await startMachineService()
const { service, engine } = machines
const backups = await mkdtemp(join(tmpdir(), 'sandglass-kept-backups-'))
cleanup.defer(() => rm(backups, { recursive: true, force: true }))
const sealing = BackupKey.generate()
const read: string[] = []

async function backUp(): Promise<MadeBackup> {
  const settings = readSettings({
    SANDGLASS_DATA: service.folder,
    ...(service.databaseUrl !== undefined && { DATABASE_URL: service.databaseUrl }),
  })
  const { dataDir } = engine.settings
  const transfer = new LocalTransfer({ dataDir, imagesDir: testImages, uplink: 'none', diskOvercommit: 10 })
  read.length = 0
  return await createBackup({
    address: ownerAddress(settings),
    storage: new FolderStorage(backups),
    sealing,
    nodeId: await DataDirectory.nodeIdIn(service.folder),
    files: await readDataFiles(settings),
    kept: {
      include: new Set(keptKinds),
      readers: new Map([['local', transfer]]),
      tell: line => read.push(line),
    },
  })
}

/** An installation on a host that has nothing of the first one, not even its base images. */
async function emptyInstallation() {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-kept-'))
  const data = join(folder, 'data')
  const options: LocalEngineOptions = {
    dataDir: join(data, 'local'),
    imagesDir: join(data, 'images'),
    uplink: 'none',
    readyTimeoutMs: patienceMs,
    diskOvercommit: 10,
  }
  cleanup.defer(async () => {
    if (existsSync(options.dataDir)) {
      await new LocalEngine(options).dismantle()
      await new LocalTransfer(options).abandon()
    }
    await rm(folder, { recursive: true, force: true })
  })
  const database = await createTestDatabase()
  if (database) cleanup.defer(() => database.drop())
  const settings = readSettings({
    SANDGLASS_DATA: data,
    SANDGLASS_PORT: '0',
    SANDGLASS_LIVE_UDP_PORT: 'none',
    SANDGLASS_DISK_RESERVE: '0',
    SANDGLASS_SHAPES: await testShapes(folder, 0),
    ...(database && { DATABASE_URL: database.url }),
  })
  return { data, options, settings }
}

test('images start and volumes have their files elsewhere, and a sandbox whose machine stayed behind says so', async () => {
  const { body: volume } = await service.post('~/volumes', { name: 'data', sizeMiB: 64 })
  const volumes = [{ name: 'data', path: '/home/user/data' }]
  const id = await makeSandbox(service, { volumes })
  await runInSandbox(machines, id, 'echo of the image > kept; echo of the volume > data/note')
  const { body: image } = await service.post('~/machine-images', { sandboxId: id, name: 'saved' })
  const isReady = async (of: TestService) => {
    const { images } = (await of.get('~/machine-images')).body
    return images.some((one: { id: string; status: string }) => one.id === image.id && one.status === 'READY')
  }
  await waitFor(() => isReady(service))
  // A machine writes to the volume all the time, and goes on doing so.
  await runInSandbox(machines, id, '(while date > data/clock; do sleep 0.05; done) > /dev/null 2>&1 &')
  const { manifest } = await backUp()
  assert.deepEqual(manifest.kept.map(({ kind }) => kind).sort(), ['base', 'disk', 'volume'])
  assert.equal((await runInSandbox(machines, id, 'cat data/note')).trim(), 'of the volume')
  assert.deepEqual(await readdir(join(engine.settings.disksDir, 'read')), [])

  await backUp()
  assert.deepEqual(read, [`Reading the volume ${volume.id} (64 MiB).`])

  const { data, options, settings } = await emptyInstallation()
  const repository = await Repository.open(new FolderStorage(backups), sealing)
  const openTransfer = async () => new LocalTransfer(options)
  await restoreBackup({ settings, repository, openTransfer, tell: () => {} })
  const there = new LocalEngine(options)
  const running = await startService(settings, pino({ level: 'silent' }), {
    openEngines: async () => enginesOf(there),
    openWorkers: workersOf,
  })
  cleanup.defer(() => running.close())
  const pool = openPool(ownerAddress(settings), () => {})
  cleanup.defer(() => pool.close())
  const restored = new TestService(running, data, pool)

  const { sandbox: lost } = (await restored.get(`~/sandboxes/${id}`)).body
  assert.equal(lost.status, 'ERROR')
  assert.match(lost.reason, /^This installation was restored from a backup of /)
  const { events } = (await restored.get(`~/sandboxes/${id}/events?order=newest&limit=1`)).body
  assert.equal(events[0].type, 'sandbox.state.updated')
  assert.match(events[0].reason, /^This installation was restored from a backup of /)
  await restored.remove(`~/sandboxes/${id}`)

  assert.ok(await isReady(restored))
  const from = { imageId: image.id, name: 'copy', maxLifeSeconds: 600, wait: 60 }
  const { body } = await restored.post('~/sandboxes/from-image', from)
  assert.equal(body.sandbox?.status, 'RUNNING', JSON.stringify(body))
  const elsewhere = { service: restored, engine: there }
  assert.equal(await runInSandbox(elsewhere, body.sandbox.id, 'cat kept'), 'of the image')
  await restored.remove(`~/sandboxes/${body.sandbox.id}`)
  const next = await makeSandbox(restored, { volumes })
  assert.equal(await runInSandbox(elsewhere, next, 'cat data/note'), 'of the volume')
  await restored.remove(`~/sandboxes/${next}`)
  await restored.remove(`~/volumes/${volume.id}`)
  await waitFor(async () => (await there.list()).length + (await there.volumes.list()).length === 0)
  await restored.remove(`~/machine-images/${image.id}`)
  await waitFor(async () => (await there.snapshots.list()).length === 0)
})
