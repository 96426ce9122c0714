import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { canonicalJson } from '../canonical-json.ts'
import { startTestService } from '../testing/test-service.ts'
import { forgetOldKeys } from './idempotency.ts'

const service = await startTestService()
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

test('a repeated request gets the same answer and creates nothing more', async () => {
  const first = await service.post('~/projects', { name: 'once' }, keyed('a'))
  const second = await service.post('~/projects', { name: 'once' }, keyed('a'))
  assert.deepEqual([second.status, second.text], [200, first.text])
  const { body } = await service.get('~/projects')
  assert.equal(body.filter(({ name }: { name: string }) => name === 'once').length, 1)
})

test('ten concurrent requests with one key create one project', async () => {
  const all = await Promise.all(
    Array.from({ length: 10 }, () => service.post('~/projects', { name: 'race' }, keyed('race'))),
  )
  assert.deepEqual([...new Set(all.map(({ status }) => status))], [200])
  assert.equal(new Set(all.map(({ body }) => body.id)).size, 1)
})

test('the same key with a different body is refused', async () => {
  await service.post('~/projects', { name: 'one' }, keyed('b'))
  const refused = await service.post('~/projects', { name: 'two' }, keyed('b'))
  assert.deepEqual([refused.status, refused.body.code], [409, 'idempotency.KEY_REUSED'])
})

test('bodies that differ only in the order of fields are equal', async () => {
  const first = await service.post('~/api-keys', '{"name":"k","role":"viewer"}', keyed('c'))
  const second = await service.post('~/api-keys', '{"role":"viewer","name":"k"}', keyed('c'))
  assert.equal(second.body.id, first.body.id)
})

test('a repeated answer omits its secret', async () => {
  const first = await service.post('~/api-keys', { name: 'secret' }, keyed('d'))
  const second = await service.post('~/api-keys', { name: 'secret' }, keyed('d'))
  const { apiKey, ...rest } = first.body
  assert.match(apiKey, /^sgk_/)
  assert.deepEqual(second.body, rest)
  const { rows } = await sql<{ answer: unknown }>`SELECT answer FROM idempotency`.execute(service.pool.db)
  assert.ok(!JSON.stringify(rows).includes(apiKey))
})

test('the keys of different callers are independent', async () => {
  const other = await service.keyOf('admin')
  const mine = await service.post('~/projects', { name: 'x' }, keyed('e'))
  const theirs = await service.post('~/projects', { name: 'y' }, { ...keyed('e'), key: other })
  assert.notEqual(theirs.body.id, mine.body.id)
})

test('a refused request can be repeated with its key', async () => {
  const attempt = () =>
    service.call('POST', '/api/operator/organizations', {
      key: service.service.credentials.operatorKey,
      body: { name: 'Later', plan: 'later' },
      ...keyed('f'),
    })
  assert.equal((await attempt()).body.code, 'plan.NOT_FOUND')
  const plan = { name: 'later', tier: 1, concurrentSandboxes: 1, machineImages: 1 }
  await service.operator('POST', '/api/operator/plans', plan)
  assert.equal((await attempt()).status, 200)
})

test('a key is locked while its request is in progress', async () => {
  const client = await service.pool.db.startTransaction().execute()
  const caller = `apiKey:${(await service.get('~/api-keys')).body[0].id}`
  await client
    .insertInto('idempotency')
    .values({ caller, key: 'held', request_hash: Buffer.alloc(32) })
    .execute()
  const waiting = await service.post('~/projects', { name: 'held' }, keyed('held'))
  await client.rollback().execute()
  assert.deepEqual([waiting.status, waiting.body.code], [409, 'idempotency.IN_PROGRESS'])
  assert.equal((await service.post('~/projects', { name: 'held' }, keyed('held'))).status, 200)
})

test('keys are deleted after 24 hours', async () => {
  const first = await service.post('~/projects', { name: 'old' }, keyed('g'))
  await sql`UPDATE idempotency SET created_at = now() - interval '25 hours'`.execute(service.pool.db)
  await forgetOldKeys(service.pool.db)
  const second = await service.post('~/projects', { name: 'old' }, keyed('g'))
  assert.notEqual(second.body.id, first.body.id)
})

test('a key that is too long is refused', async () => {
  const { status, body } = await service.post('~/projects', { name: 'z' }, keyed('k'.repeat(256)))
  assert.equal(status, 400)
  assert.deepEqual(body.issues, [{ path: 'Idempotency-Key', message: 'must have 1 to 255 characters' }])
})

test('the stored hash of a request cannot be used to guess what was in the request', async () => {
  const body = { name: 'guessable' }
  await service.post('~/projects', body, keyed('guess'))
  const { request_hash: stored } = await service.pool.db
    .selectFrom('idempotency')
    .select('request_hash')
    .where('key', '=', 'guess')
    .executeTakeFirstOrThrow()
  const request = canonicalJson(['createProject', { orgId: service.orgId }, body])
  assert.notDeepEqual(stored, createHash('sha256').update(request).digest())
})
