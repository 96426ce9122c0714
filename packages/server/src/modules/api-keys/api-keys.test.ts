import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ApiKey } from '@sandglass/protocol'
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
