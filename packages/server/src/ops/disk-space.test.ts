import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import pino from 'pino'
import { Registry } from 'prom-client'
import { cleanup } from '../testing/cleanup.ts'
import { startTestService } from '../testing/test-service.ts'
import { DiskSpace } from './disk-space.ts'

const disk = await smallDisk(64)
cleanup.defer(() => disk.dispose())

test('low disk space is logged once when it begins and once when it ends, and the free space is a metric', async () => {
  const logged: { readonly level: number; readonly msg: string }[] = []
  const log = pino({}, { write: line => logged.push(JSON.parse(line)) })
  const registry = new Registry()
  const folders = [disk.folder, join(disk.folder, 'missing')]
  const space = new DiskSpace({ folders, reserveMiB: 16, registry, log })
  const free = async () => Number(/^sandglass_disk_free_bytes (\d+)/m.exec(await registry.metrics())?.[1])
  assert.ok((await free()) > 16 << 20)
  assert.equal(space.problem(), undefined)
  await disk.fill(8)
  for (let i = 0; i < 3; i++) await space.check()
  assert.match(space.problem() ?? '', /nearly full: \d MiB are free, and SANDGLASS_DISK_RESERVE is 16 MiB/)
  assert.ok((await free()) <= 8 << 20)
  await disk.empty()
  await waitFor(async () => (await space.check()) > 16 << 20)
  assert.equal(space.problem(), undefined)
  assert.deepEqual(
    logged.map(({ level }) => level),
    [50, 30],
  )
})

test('a service whose disk space is below the reserve is not ready, and reports why', async () => {
  const service = await startTestService({ SANDGLASS_DISK_RESERVE: '1000000000' })
  const { status, body } = await service.get('/readyz', { key: null })
  assert.equal(status, 503)
  assert.match(body.message, /SANDGLASS_DISK_RESERVE/)
  assert.equal((await service.get('/healthz', { key: null })).status, 200)
})
