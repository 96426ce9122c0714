import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { call, ServiceProcess } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

test('several processes share one database, each a node of its own', async () => {
  const database = await sharedDatabase()
  const { folder, env } = database
  const services = await Promise.all(
    ['a', 'b', 'c'].map(name => ServiceProcess.start(`${folder}/${name}`, env)),
  )
  const [a, b, c] = await Promise.all(services.map(service => service.credentials()))
  assert.ok(a && b && c)

  // One organization was made, however many started at once; every node's keys work on every node.
  assert.equal(new Set([a.orgId, b.orgId, c.orgId]).size, 1)
  const keys: string[] = [a.apiKey, b.apiKey, c.apiKey]
  for (const node of [a, b, c])
    for (const apiKey of keys)
      assert.equal((await call(node, 'GET', '~/stats', undefined, apiKey)).status, 200)
  const { body: nodes } = await call(a, 'GET', '/api/operator/nodes', undefined, a.operatorKey)
  assert.equal(nodes.length, 3)

  // What one makes, the others have at once.
  const { body: project } = await call(a, 'POST', '~/projects', { name: 'shared' })
  const { body: projects } = await call(b, 'GET', '~/projects')
  assert.ok(projects.some(({ id }: { id: string }) => id === project.id))

  // A key that is revoked on one ends on all, though all of them remember it: they are told.
  const { body: key } = await call(a, 'POST', '~/api-keys', { name: 'doomed', role: 'viewer' })
  const statuses = () =>
    Promise.all(
      [a, b, c].map(async node => (await call(node, 'GET', '~/stats', undefined, key.apiKey)).status),
    )
  for (let i = 0; i < 5; i++) assert.deepEqual(await statuses(), [200, 200, 200])
  assert.equal((await call(a, 'DELETE', `~/api-keys/${key.id}`)).status, 200)
  await waitFor(async () => (await statuses()).every(status => status === 401))

  // Without a database nothing is remembered and nothing hangs: 503, and recovery by itself.
  await database.stop()
  const down = await call(b, 'GET', '~/stats')
  assert.deepEqual([down.status, down.body.code], [503, 'service.UNAVAILABLE'])
  await sharedDatabase(database)
  await waitFor(async () => (await call(b, 'GET', '~/stats')).status === 200)
})
