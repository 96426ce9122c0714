import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from '@sandglass/protocol'
import { EnvironmentSeal } from '../../auth/environment-seal.ts'
import { SecretKeys } from '../../auth/secret-keys.ts'
import { transact } from '../../db/transact.ts'
import { resealEnvironments } from '../../records/reseal.ts'
import { startTestService } from '../../testing/test-service.ts'
import { openSecrets, sealSecrets } from './secrets.ts'
import { insertWebhook } from './store.ts'

const service = await startTestService({ SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32' })
/** Nothing listens there. */
const url = 'http://127.0.0.1:9/sandglass?token=hush'

test('a webhook has a secret that is shown once and stored encrypted', async () => {
  const { status, body } = await service.post('~/webhooks', { url, types: ['sandbox.*', 'key.created'] })
  assert.equal(status, 200)
  assert.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { secret, ...webhook } = body
  assert.deepEqual(Webhook.parse(webhook), webhook)
  assert.deepEqual((await service.get(`~/webhooks/${webhook.id}`)).body, webhook)
  const { body: all } = await service.get('~/webhooks')
  assert.deepEqual(
    all.find(({ id }: Webhook) => id === webhook.id),
    webhook,
  )
  const rows = await service.pool.db.selectFrom('webhooks').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(secret.slice(6)))
})

test('a create that is repeated with its Idempotency-Key makes one webhook and does not repeat the secret', async () => {
  const request = { headers: { 'idempotency-key': 'hook' } }
  const first = await service.post('~/webhooks', { url }, request)
  const second = await service.post('~/webhooks', { url }, request)
  assert.equal(second.body.id, first.body.id)
  assert.equal(second.body.secret, undefined)
})

test('a webhook can be changed, disabled, enabled and deleted, and the audit log has it all', async () => {
  const { body: hook } = await service.post('~/webhooks', { url })
  const at = `~/webhooks/${hook.id}`
  const patch = async (body: unknown) => (await service.call('PATCH', at, { body })).body
  assert.equal((await patch({ description: 'for the team' })).description, 'for the team')
  assert.deepEqual((await patch({ types: ['volume.*'] })).types, ['volume.*'])
  assert.equal((await patch({ types: null })).types, null)
  const disabled = await patch({ enabled: false })
  assert.deepEqual([disabled.enabled, disabled.disabledReason], [false, 'requested'])
  assert.equal((await service.post(`${at}/test`)).body.code, 'webhook.DISABLED')
  const enabled = await patch({ enabled: true })
  assert.deepEqual([enabled.enabled, enabled.disabledReason], [true, null])
  assert.equal((await service.post(`${at}/secret/rotate`)).status, 200)
  assert.equal((await service.delete(at)).status, 200)
  assert.equal((await service.get(at)).body.code, 'webhook.NOT_FOUND')
  const { body: log } = await service.get(`~/audit-log?target=${hook.id}&outcome=done`)
  assert.deepEqual(
    log.entries.map(({ operation }: { operation: string }) => operation),
    [
      'deleteWebhook',
      'rotateWebhookSecret',
      ...Array.from({ length: 5 }, () => 'updateWebhook'),
      'createWebhook',
    ],
  )
})

test('URLs that are never called, and filters that no type can match, are refused', async () => {
  const refusals: [object, string][] = [
    [{ url: 'ftp://example.com' }, 'outbound.INVALID'],
    [{ url: 'https://user:hush@example.com' }, 'outbound.INVALID'],
    [{ url: 'http://127.0.0.2/' }, 'outbound.FORBIDDEN'],
    [{ url: 'http://[::1]/' }, 'outbound.FORBIDDEN'],
    [{ url: 'http://169.254.169.254/latest' }, 'outbound.FORBIDDEN'],
    [{ url, types: [] }, 'request.INVALID'],
    [{ url, types: ['*'] }, 'request.INVALID'],
    [{ url, types: ['sandbox*'] }, 'request.INVALID'],
  ]
  for (const [body, code] of refusals) {
    const { status, body: answer } = await service.post('~/webhooks', body)
    assert.deepEqual([status, answer.code], [400, code], JSON.stringify(body))
  }
})

test('only admins have webhooks, and those of another organization do not exist', async () => {
  const { body: hook } = await service.post('~/webhooks', { url })
  for (const role of ['viewer', 'member']) {
    const key = await service.keyOf(role)
    assert.equal((await service.get('~/webhooks', { key })).status, 403)
    assert.equal((await service.post('~/webhooks', { url }, { key })).status, 403)
  }
  const admin = await service.keyOf('admin')
  assert.equal((await service.get(`~/webhooks/${hook.id}`, { key: admin })).status, 200)
  const other = await service.otherOrganization()
  const there = `/api/orgs/${other.orgId}/webhooks`
  for (const path of ['', '/deliveries', '/deliveries/1'])
    assert.equal(
      (await service.get(`${there}/${hook.id}${path}`, { key: other.apiKey })).body.code,
      'webhook.NOT_FOUND',
    )
  for (const path of ['/test', '/secret/rotate', '/deliveries/1/redeliver'])
    assert.equal(
      (await service.post(`${there}/${hook.id}${path}`, undefined, { key: other.apiKey })).body.code,
      'webhook.NOT_FOUND',
    )
})

test('a plan limits the number of webhooks', async () => {
  const other = await service.otherOrganization()
  await service.operator('POST', '/api/operator/plans', {
    name: 'one-webhook',
    tier: 0,
    concurrentSandboxes: null,
    machineImages: null,
    webhooks: 1,
  })
  await service.operator('PATCH', `/api/operator/organizations/${other.orgId}`, { plan: 'one-webhook' })
  const create = () => service.post(`/api/orgs/${other.orgId}/webhooks`, { url }, { key: other.apiKey })
  assert.equal((await create()).status, 200)
  assert.deepEqual([(await create()).status, (await create()).body.code], [409, 'webhook.TOO_MANY'])
})

test('a delivery that does not exist is not found, whatever its id looks like', async () => {
  const { body: hook } = await service.post('~/webhooks', { url })
  for (const id of ['1', 'x', '0', '9999999999999999999999']) {
    const at = `~/webhooks/${hook.id}/deliveries/${id}`
    assert.equal((await service.get(at)).body.code, 'delivery.NOT_FOUND')
    assert.equal((await service.post(`${at}/redeliver`)).body.code, 'delivery.NOT_FOUND')
  }
})

test('secrets are encrypted again with the newest key, so that an older key can be removed', async () => {
  const { db } = service.pool
  const old = SecretKeys.generate()
  const sealed = sealSecrets(new EnvironmentSeal(old), 'whk-sealed', {
    secret: 'whsec_new',
    previous: 'whsec_old',
  })
  const fields = { id: 'whk-sealed', orgId: service.orgId, url, description: '', types: null }
  await transact(db, tx => insertWebhook(tx, { ...fields, sealedSecrets: sealed }))
  const rotated = old.rotated()
  assert.ok(!(await resealEnvironments(db, new EnvironmentSeal(rotated))).includes('whk-sealed'))
  const { sealed_secrets: resealed } = await db
    .selectFrom('webhooks')
    .select('sealed_secrets')
    .where('id', '=', 'whk-sealed')
    .executeTakeFirstOrThrow()
  const newest = new EnvironmentSeal(rotated.newestOnly())
  assert.deepEqual(openSecrets(newest, 'whk-sealed', resealed), {
    secret: 'whsec_new',
    previous: 'whsec_old',
  })
  assert.equal(openSecrets(newest, 'whk-sealed', sealed), undefined)
  assert.ok((await resealEnvironments(db, new EnvironmentSeal(SecretKeys.generate()))).includes('whk-sealed'))
})
