import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ApiKey } from '@sandglass/protocol'
import { eventsWhen } from '../../testing/events-when.ts'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()

test('a key is shown once, stored only as a hash, and accepted in both headers', async () => {
  const { status, body } = await service.post('~/api-keys', { name: 'ci', role: 'viewer' })
  assert.equal(status, 200)
  assert.match(body.apiKey, /^sgk_[\w-]{43}$/)
  assert.ok(body.apiKey.startsWith(body.prefix))
  assert.equal((await service.get('~/stats', { key: body.apiKey })).status, 200)
  const bearer = { authorization: `Bearer ${body.apiKey}` }
  assert.equal((await service.get('~/stats', { key: null, headers: bearer })).status, 200)

  const listed = await service.get('~/api-keys')
  assert.ok(!listed.text.includes(body.apiKey))
  ApiKey.parse(listed.body.find(({ id }: ApiKey) => id === body.id))
  const rows = await service.pool.db.selectFrom('api_keys').selectAll().execute()
  assert.ok(!JSON.stringify(rows.map(row => ({ ...row, hash: row.hash.toString() }))).includes(body.apiKey))
})

test('a revoked key stops working before its revocation is answered', async () => {
  const { body } = await service.post('~/api-keys', { name: 'short', role: 'member' })
  for (let i = 0; i < 3; i++) assert.equal((await service.get('~/stats', { key: body.apiKey })).status, 200)
  assert.equal((await service.delete(`~/api-keys/${body.id}`)).status, 200)
  assert.equal((await service.get('~/stats', { key: body.apiKey })).body.code, 'auth.INVALID')
  const again = await service.delete(`~/api-keys/${body.id}`)
  assert.deepEqual([again.status, again.body.code], [404, 'apiKey.NOT_FOUND'])
})

test('a key stops working when it expires', async () => {
  const { body } = await service.post('~/api-keys', { name: 'brief', role: 'viewer', expiresInSeconds: 3600 })
  assert.equal((await service.get('~/stats', { key: body.apiKey })).status, 200)
  await service.pool.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('id', '=', body.id)
    .execute()
  const status = async () => (await service.get('~/stats', { key: body.apiKey })).status
  await waitFor(async () => (await status()) === 401)
})

test('each role includes the permissions of the roles below it, and no others', async () => {
  const allowed: Record<string, string[]> = { viewer: [], member: [], admin: [], owner: [] }
  for (const role of Object.keys(allowed)) {
    const key = await service.keyOf(role)
    const attempts: [string, Promise<{ status: number }>][] = [
      ['read', service.get('~/projects', { key })],
      ['make projects', service.post('~/projects', { name: role }, { key })],
      ['list keys', service.get('~/api-keys', { key })],
      ['make owners', service.post('~/api-keys', { name: 'x', role: 'owner' }, { key })],
      ['read the audit log', service.get('~/audit-log', { key })],
    ]
    for (const [name, attempt] of attempts) {
      const { status } = await attempt
      assert.ok(status === 200 || status === 403, `${role} ${name}: ${status}`)
      if (status === 200) allowed[role]?.push(name)
    }
  }
  assert.deepEqual(allowed, {
    viewer: ['read'],
    member: ['read'],
    admin: ['read', 'make projects', 'list keys'],
    owner: ['read', 'make projects', 'list keys', 'make owners', 'read the audit log'],
  })
})

test('an admin cannot revoke an owner', async () => {
  const { body: owner } = await service.post('~/api-keys', { name: 'boss', role: 'owner' })
  const admin = await service.keyOf('admin')
  const refused = await service.delete(`~/api-keys/${owner.id}`, { key: admin })
  assert.deepEqual([refused.status, refused.body.code], [403, 'apiKey.ROLE_TOO_HIGH'])
})

test('the last use of a key is recorded to the minute', async () => {
  const { body } = await service.post('~/api-keys', { name: 'used', role: 'viewer' })
  const before = Date.now()
  await service.get('~/stats', { key: body.apiKey })
  await service.service.flush()
  const { body: keys } = await service.get('~/api-keys')
  const { lastUsedAt } = keys.find(({ id }: ApiKey) => id === body.id)
  const usedAt = Date.parse(lastUsedAt)
  assert.ok(usedAt > before - 60_000 && usedAt < Date.now() + 60_000)
})

test('a key can be renamed, and its role and expiry can be changed', async () => {
  const { body: key } = await service.post('~/api-keys', { name: 'ci', role: 'viewer' })
  const path = `~/api-keys/${key.id}`
  const update = (body: object) => service.call('PATCH', path, { body })
  assert.equal((await service.get('~/api-keys', { key: key.apiKey })).status, 403)
  const changed = await update({ name: 'build', role: 'admin', expiresInSeconds: 3600 })
  assert.equal(changed.status, 200, changed.text)
  const { apiKey, ...listed } = key
  assert.deepEqual(
    { ...changed.body, lastUsedAt: null },
    { ...listed, name: 'build', role: 'admin', expiresAt: changed.body.expiresAt },
  )
  const leftMs = Date.parse(changed.body.expiresAt) - Date.now()
  assert.ok(leftMs > 3_000_000 && leftMs < 4_200_000)
  assert.equal((await service.get('~/api-keys', { key: apiKey })).status, 200)

  assert.equal((await update({})).body.expiresAt, changed.body.expiresAt)
  assert.equal((await update({ expiresInSeconds: null })).body.expiresAt, null)
  assert.equal((await update({ expiresInSeconds: 1 })).status, 200)
  await waitFor(async () => (await service.get('~/stats', { key: apiKey })).status === 401)
  const expected = ['key.created', ...Array(4).fill('key.updated')]
  const events = await eventsWhen(
    service,
    `~/events?subject=${key.id}`,
    ({ length }) => length >= expected.length,
  )
  assert.deepEqual(
    events.map(({ type }) => type),
    expected,
  )
})

test('an admin can neither change nor rotate an owner, nor make one by changing a key', async () => {
  const { body: owner } = await service.post('~/api-keys', { name: 'boss', role: 'owner' })
  const { body: viewer } = await service.post('~/api-keys', { name: 'low', role: 'viewer' })
  const key = await service.keyOf('admin')
  for (const refused of [
    await service.call('PATCH', `~/api-keys/${owner.id}`, { key, body: { role: 'viewer' } }),
    await service.call('PATCH', `~/api-keys/${viewer.id}`, { key, body: { role: 'owner' } }),
    await service.post(`~/api-keys/${owner.id}/rotate`, {}, { key }),
  ])
    assert.deepEqual([refused.status, refused.body.code], [403, 'apiKey.ROLE_TOO_HIGH'])
  assert.equal((await service.get('~/audit-log', { key: owner.apiKey })).status, 200)
  assert.equal((await service.call('PATCH', `~/api-keys/${viewer.id}`, { key, body: {} })).status, 200)
})

test('only admins change and rotate keys, and only those of their organization that are not revoked', async () => {
  const { body: target } = await service.post('~/api-keys', { name: 'target', role: 'viewer' })
  const path = `~/api-keys/${target.id}`
  const attempts = async (of: string, key?: string) => [
    await service.call('PATCH', of, { key, body: { name: 'taken' } }),
    await service.post(`${of}/rotate`, { graceSeconds: 10 }, { key }),
  ]
  for (const role of ['viewer', 'member'])
    for (const { status } of await attempts(path, await service.keyOf(role))) assert.equal(status, 403)
  const other = await service.otherOrganization()
  const foreign = `/api/orgs/${other.orgId}/api-keys/${target.id}`
  for (const { status, body } of await attempts(foreign, other.apiKey))
    assert.deepEqual([status, body.code], [404, 'apiKey.NOT_FOUND'])
  assert.equal((await service.get('~/stats', { key: target.apiKey })).status, 200)
  await service.remove(path)
  for (const { status } of await attempts(path)) assert.equal(status, 404)
  for (const graceSeconds of [-1, 86_401, 1.5, '1'])
    assert.equal((await service.post(`${path}/rotate`, { graceSeconds })).status, 400)
})
