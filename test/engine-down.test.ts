import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { Cluster, machineOf } from './support/folder-engine/cluster.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()

test('a service whose engine is down starts, answers other calls, and creates machines once the engine is up', async () => {
  const cluster = await Cluster.make()
  const service = await cluster.serve(env)
  const ready = await service.get('/readyz', { key: null })
  assert.deepEqual([ready.status, ready.body.status], [200, 'ready'])
  assert.deepEqual(
    ready.body.degraded.map(({ engine }: { engine: string }) => engine),
    ['folder'],
  )
  assert.equal((await service.get('~/sandboxes')).status, 200)
  const { status, body, headers } = await service.post('~/sandboxes', { shape: 'small' })
  assert.deepEqual([status, body.code], [503, 'machine.NOT_READY'])
  assert.match(body.message, /^The engine folder is down: .*ENOENT/)
  assert.ok(headers.get('retry-after'))

  await cluster.begin()
  await waitFor(async () => (await service.get('/readyz', { key: null })).body.degraded === undefined)
  await makeSandbox(service)
})

test('machines of an engine that is down at the start are kept, and taken up once it is up', async () => {
  const cluster = await Cluster.make()
  await cluster.begin()
  const before = await cluster.serve(env)
  const id = await makeSandbox(before)
  const machine = await machineOf(before, id)
  await before.service.close()
  await rename(cluster.path, `${cluster.path}-away`)

  const service = await cluster.serve({ ...env, SANDGLASS_DATA: before.folder })
  const look = async () => (await service.get(`~/sandboxes/${id}`)).body.sandbox
  await waitFor(async () => (await look()).problem !== undefined)
  const { status, problem } = await look()
  assert.equal(status, 'RUNNING')
  assert.match(problem.reason, /^The engine folder is down/)
  const refused = await service.post(`~/sandboxes/${id}/restart`)
  assert.deepEqual([refused.status, refused.body.code], [503, 'sandbox.UNREACHABLE'])
  assert.equal((await look()).status, 'RUNNING')

  await rename(`${cluster.path}-away`, cluster.path)
  await waitFor(async () => {
    const now = await look()
    return now.status === 'RUNNING' && now.problem === undefined
  })
  assert.equal(await machineOf(service, id), machine)
})

test('shapes of an engine that no node uses are not listed, and creating one is answered with what to do', async () => {
  const cluster = await Cluster.make([{}, { name: 'vm', engine: 'qemu', image: 'desktop' }])
  await cluster.begin()
  const database = await sharedDatabase()
  const service = await cluster.serve(database.env)
  const listed = async (of = service) =>
    (await of.get('~/shapes')).body.map(({ name }: { name: string }) => name)
  assert.deepEqual(await listed(), ['small'])
  const { status, body } = await service.post('~/sandboxes', { shape: 'vm' })
  assert.deepEqual([status, body.code], [503, 'machine.NOT_READY'])
  assert.match(body.message, /SANDGLASS_MACHINES is none/)
  // Another node says that it uses the engine.
  const capacity = JSON.stringify([{ shapeName: 'vm', engine: 'qemu', free: 1 }])
  await sql`INSERT INTO nodes (id, hostname, version, url, started_at, seen_at, lease_until, capacity)
    SELECT 'another', hostname, version, url, started_at, seen_at, lease_until, ${capacity}::jsonb FROM nodes LIMIT 1`.execute(
    service.pool.db,
  )
  await waitFor(async () => (await listed()).length === 2)
  assert.deepEqual(await listed(), ['small', 'vm'])
})
