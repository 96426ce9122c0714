import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { DatabaseProxy } from './support/database-proxy.ts'
import { sharedDatabase } from './support/shared-database.ts'
import { stopDatabase } from './support/stopped-database.ts'

/** More than the service has database connections. */
const crowd = 64

async function names(service: TestService): Promise<string[]> {
  const { body } = await service.get('~/projects')
  return body.map(({ name }: { name: string }) => name)
}

test('while the database is stopped every call is a 503 with the reason, and the service recovers when it continues', async t => {
  const database = await sharedDatabase()
  const folder = join(database.folder, 'postgres')
  const service = await startTestService(database.env)
  assert.equal((await service.get('/readyz')).status, 200)

  const resume = await stopDatabase(folder)
  t.after(resume)
  // Each would wait for as long as the database is stopped, and the database continues only after all of them got a
  // response.
  const answers = await Promise.all([
    service.get('/readyz'),
    ...Array.from({ length: crowd }, (_, i) =>
      i % 2 === 0 ? service.get('~/projects') : service.post('~/projects', { name: `lost ${i}` }),
    ),
  ])
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.code], [503, 'service.UNAVAILABLE'])
    assert.match(body.message, /The database does not answer/)
  }
  assert.equal((await service.get('/readyz')).body.failed[0].check, 'database')
  assert.equal((await service.get('/healthz')).status, 200)
  resume()

  await waitFor(async () => (await service.get('/readyz')).status === 200)
  const made = await Promise.all(
    Array.from({ length: crowd }, (_, i) => service.post('~/projects', { name: `kept ${i}` })),
  )
  assert.deepEqual([...new Set(made.map(({ status }) => status))], [200])
  const kept = await names(service)
  assert.equal(kept.filter(name => name.startsWith('kept')).length, crowd)
  assert.equal(kept.filter(name => name.startsWith('lost')).length, 0)
})

test('a commit without a response is a 504 that says so, and leaks no connection', async () => {
  const database = await sharedDatabase()
  const proxy = await DatabaseProxy.open(join(database.folder, 'postgres'))
  const service = await startTestService(proxy.env)

  proxy.commits = 'get no answer'
  const unanswered = await service.post('~/projects', { name: 'unanswered' })
  assert.deepEqual([unanswered.status, unanswered.body.code], [504, 'service.OUTCOME_UNKNOWN'])
  assert.match(unanswered.body.message, /may or may not have been made/)

  proxy.commits = 'lose the connection'
  for (let i = 0; i < 12; i++) {
    const lost = await service.post('~/projects', { name: `cut ${i}` })
    assert.deepEqual([lost.status, lost.body.code], [504, 'service.OUTCOME_UNKNOWN'])
  }

  proxy.commits = 'pass'
  assert.equal((await service.post('~/projects', { name: 'kept' })).status, 200)
  const made = await names(service)
  for (const name of ['unanswered', 'cut 0', 'cut 11', 'kept']) assert.ok(made.includes(name), name)
})
