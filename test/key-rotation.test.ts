import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { type CreatedApiKey, RotatedOperatorKey } from '@sandglass/protocol'
import { EventReader } from '../packages/server/src/testing/event-reader.ts'
import { signIn } from '../packages/server/src/testing/signed-in.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const here = await startTestService(env)
const elsewhere = await startTestService(env)
const both = [here, elsewhere]

async function newKey(fields: object = {}): Promise<Required<CreatedApiKey>> {
  const { status, body } = await here.post('~/api-keys', { name: 'ci', role: 'viewer', ...fields })
  assert.equal(status, 200)
  return body
}

async function rotated(id: string, graceSeconds?: number): Promise<Required<CreatedApiKey>> {
  const { status, body, text } = await here.post(
    `~/api-keys/${id}/rotate`,
    graceSeconds === undefined ? undefined : { graceSeconds },
  )
  assert.equal(status, 200, text)
  return body
}

const statusOf = async (service: TestService, key: string) => (await service.get('~/stats', { key })).status
const everywhere = (key: string) => Promise.all(both.map(service => statusOf(service, key)))
const isEnded = async (key: string) => (await everywhere(key)).every(status => status === 401)

const follow = (service: TestService, key: string) =>
  EventReader.open(`${service.service.url}${service.expand('~/events')}`, { key })

test('the old secret of a rotated key ends on every node with what it has open, and the key stays the same', async () => {
  const old = await newKey({ expiresInSeconds: 3600 })
  const streams = await Promise.all(both.map(service => follow(service, old.apiKey)))
  const fresh = await rotated(old.id)
  assert.notEqual(fresh.apiKey, old.apiKey)
  assert.ok(fresh.apiKey.startsWith(fresh.prefix))
  const { apiKey: _, prefix: __, lastUsedAt: ___, ...kept } = fresh
  assert.deepEqual(kept, { ...kept, id: old.id, name: 'ci', role: 'viewer', expiresAt: old.expiresAt })
  assert.deepEqual(await everywhere(fresh.apiKey), [200, 200])
  // The node that was called has forgotten the old secret before it answered, and the other is told.
  assert.equal(await statusOf(here, old.apiKey), 401)
  await waitFor(() => isEnded(old.apiKey))
  await Promise.all(streams.map(stream => stream.end()))
})

test('an old secret works for its grace, and then ends like a revoked key', async () => {
  const old = await newKey({ role: 'admin' })
  assert.deepEqual(await everywhere(old.apiKey), [200, 200])
  const fresh = await rotated(old.id, 2)
  const streams = await Promise.all(both.map(service => follow(service, fresh.apiKey)))
  assert.deepEqual(await everywhere(fresh.apiKey), [200, 200])
  await waitFor(() => isEnded(old.apiKey))
  // What the new secret has open goes on.
  await here.post('~/api-keys', { name: 'noticed', role: 'viewer' })
  for (const stream of streams) {
    await stream.until(({ type }) => type === 'key.created')
    stream.close()
  }
})

test('a stream of an old secret ends with its grace', async () => {
  const old = await newKey()
  await rotated(old.id, 86_400)
  const streams = await Promise.all(both.map(service => follow(service, old.apiKey)))
  assert.deepEqual(await everywhere(old.apiKey), [200, 200])
  await here.pool.db
    .updateTable('replaced_secrets')
    .set({ ends_at: new Date(Date.now() + 500) })
    .where('api_key_id', '=', old.id)
    .execute()
  await Promise.all(streams.map(stream => stream.end()))
  await waitFor(() => isEnded(old.apiKey))
})

test('another rotation ends older secrets with the last one, and a revocation ends them all', async () => {
  const first = await newKey()
  const second = await rotated(first.id, 86_400)
  const third = await rotated(first.id, 86_400)
  for (const { apiKey } of [first, second, third]) assert.deepEqual(await everywhere(apiKey), [200, 200])
  const fourth = await rotated(first.id)
  for (const { apiKey } of [first, second, third]) await waitFor(() => isEnded(apiKey))
  const fifth = await rotated(first.id, 86_400)
  assert.deepEqual(await everywhere(fourth.apiKey), [200, 200])
  await here.remove(`~/api-keys/${first.id}`)
  for (const { apiKey } of [fourth, fifth]) await waitFor(() => isEnded(apiKey))
})

test('a key can rotate itself, and the answer arrives although the key has ended', async () => {
  const { body: key } = await here.post('~/api-keys', { name: 'self', role: 'admin' })
  const answer = await here.post(`~/api-keys/${key.id}/rotate`, undefined, { key: key.apiKey })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(await everywhere(answer.body.apiKey), [200, 200])
  await waitFor(() => isEnded(key.apiKey))
})

test('a role that was lowered ends what the key could open before, on every node', async () => {
  const { body: key } = await here.post('~/api-keys', { name: 'demoted', role: 'admin' })
  const streams = await Promise.all(both.map(service => follow(service, key.apiKey)))
  const changed = await here.call('PATCH', `~/api-keys/${key.id}`, { body: { role: 'viewer' } })
  assert.deepEqual([changed.status, changed.body.role], [200, 'viewer'])
  await Promise.all(streams.map(stream => stream.end()))
  const mayListKeys = () =>
    Promise.all(both.map(async node => (await node.get('~/api-keys', { key: key.apiKey })).status))
  await waitFor(async () => (await mayListKeys()).every(status => status === 403))
  assert.deepEqual(await everywhere(key.apiKey), [200, 200])
})

test('a session goes on when the secret of its key is replaced, and what it has open does too', async () => {
  const key = await newKey({ role: 'admin' })
  const person = await signIn(here, { apiKey: key.apiKey })
  const url = `${here.service.url}${here.expand('~/events')}`
  const headers = { ...person.headers, accept: 'text/event-stream' }
  const stream = await fetch(url, { headers, signal: AbortSignal.timeout(120_000) })
  assert.equal(stream.status, 200)
  await rotated(key.id)
  await waitFor(() => isEnded(key.apiKey))
  assert.equal((await person.get('~/stats')).status, 200)
  assert.equal((await person.on(elsewhere, 'GET', '~/stats')).status, 200)
  const events = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; !text.includes('key.rotated'); ) {
    const { value, done } = (await events?.read()) ?? { done: true }
    assert.ok(!done, 'the stream has ended')
    text += value
  }
  await events?.cancel()
})

const fileOf = async (service: TestService) =>
  JSON.parse(await readFile(join(service.folder, 'credentials.json'), 'utf8'))

test('credentials.json of the node contains the keys that were rotated there', async () => {
  const { apiKey, operatorKey, ...rest } = here.service.credentials
  const rotateOperator = (service: TestService, key: string, body?: object) =>
    service.call('POST', '/api/operator/keys/rotate', { key, ...(body && { body }) })
  const answered = await rotateOperator(here, operatorKey, { graceSeconds: 3600 })
  assert.equal(answered.status, 200, answered.text)
  const fresh = RotatedOperatorKey.parse(answered.body)
  assert.equal(fresh.credentialsFile, 'updated')
  assert.ok(fresh.operatorKey.startsWith(fresh.prefix))
  assert.ok(Date.parse(fresh.oldKeyEndsAt) > Date.now() + 3_000_000)
  const { body: keys } = await here.get('~/api-keys')
  const owner = keys.find(({ prefix }: CreatedApiKey) => apiKey.startsWith(prefix))
  const newOwner = await rotated(owner.id, 3600)
  assert.deepEqual(await fileOf(here), { ...rest, apiKey: newOwner.apiKey, operatorKey: fresh.operatorKey })
  const shellFile = await readFile(join(here.folder, 'env'), 'utf8')
  assert.ok(shellFile.includes(newOwner.apiKey) && !shellFile.includes(apiKey))

  // The other node has keys of its own, and is told about these.
  const nodesFor = async (key: string) =>
    Promise.all(both.map(async node => (await node.get('/api/operator/nodes', { key })).status))
  for (const key of [operatorKey, fresh.operatorKey]) assert.deepEqual(await nodesFor(key), [200, 200])
  const before = await fileOf(elsewhere)
  const again = await rotateOperator(elsewhere, fresh.operatorKey)
  assert.equal(again.body.credentialsFile, 'unchanged')
  assert.deepEqual(await fileOf(elsewhere), before)
  for (const key of [operatorKey, fresh.operatorKey])
    await waitFor(async () => (await nodesFor(key)).every(status => status === 401))
  assert.deepEqual(await nodesFor(again.body.operatorKey), [200, 200])
})

test('only the operator rotates the key of the operator', async () => {
  const key = await here.keyOf('owner')
  const refused = await here.post('/api/operator/keys/rotate', {}, { key })
  assert.equal(refused.status, 403)
})
