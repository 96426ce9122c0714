import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Organization } from '@sandglass/protocol'
import { startTestService } from '../../testing/test-service.ts'

const before = Date.now()
const service = await startTestService()
const organizations = '/api/operator/organizations'

test('the operator creates an organization whose owner key works at once', async () => {
  const { status, body } = await service.operator('POST', organizations, { name: 'Acme' })
  assert.equal(status, 200)
  const { id } = Organization.parse(body.organization)
  const projects = await service.get(`/api/orgs/${id}/projects`, { key: body.ownerKey.apiKey })
  assert.deepEqual([projects.status, projects.body.length], [200, 1])
  const own = await service.get(`/api/orgs/${id}`, { key: body.ownerKey.apiKey })
  assert.deepEqual(own.body, body.organization)
})

test('the operator cannot act in organizations, and owners cannot act as the operator', async () => {
  assert.equal((await service.operator('GET', `/api/orgs/${service.orgId}/stats`)).status, 404)
  const refused = await service.get(organizations)
  assert.deepEqual([refused.status, refused.body.code], [403, 'auth.OPERATOR_ONLY'])
})

test('changes of the name, plan and flags of an organization take effect at once', async () => {
  const other = await service.otherOrganization()
  await service.operator('POST', '/api/operator/plans', {
    name: 'small',
    tier: 1,
    concurrentSandboxes: 2,
    machineImages: 0,
  })
  const path = `${organizations}/${other.orgId}`
  const changed = await service.operator('PATCH', path, { plan: 'small', featureFlags: ['beta'] })
  assert.deepEqual(
    [changed.body.name, changed.body.plan, changed.body.featureFlags],
    ['Another', 'small', ['beta']],
  )
  assert.equal((await service.operator('PATCH', path, { plan: 'none-such' })).body.code, 'plan.NOT_FOUND')
  assert.equal((await service.operator('PATCH', `${organizations}/nobody`, {})).status, 404)
  assert.equal((await service.operator('DELETE', '/api/operator/plans/small')).body.code, 'plan.IN_USE')
})

test('deleting an organization revokes its keys', async () => {
  const other = await service.otherOrganization()
  const path = `/api/orgs/${other.orgId}/stats`
  assert.equal((await service.get(path, { key: other.apiKey })).status, 200)
  assert.equal((await service.operator('DELETE', `${organizations}/${other.orgId}`)).status, 200)
  assert.equal((await service.get(path, { key: other.apiKey })).status, 401)
  assert.equal((await service.operator('DELETE', `${organizations}/${other.orgId}`)).status, 404)
})

test('the operator can replace a lost owner key', async () => {
  const other = await service.otherOrganization()
  const { body } = await service.operator('POST', `${organizations}/${other.orgId}/owner-keys`)
  assert.equal((await service.get(`/api/orgs/${other.orgId}/stats`, { key: body.apiKey })).status, 200)
})

test('plans are listed, changed and deleted', async () => {
  const plan = { name: 'team', tier: 5, concurrentSandboxes: 10, machineImages: null, snapshots: 5 }
  const whole = { ...plan, volumes: null, volumesMiB: null, webhooks: null }
  assert.deepEqual((await service.operator('POST', '/api/operator/plans', plan)).body, whole)
  assert.equal((await service.operator('POST', '/api/operator/plans', plan)).body.code, 'plan.EXISTS')
  const changed = await service.operator('PATCH', '/api/operator/plans/team', { concurrentSandboxes: null })
  assert.deepEqual(changed.body, { ...whole, concurrentSandboxes: null })
  const { body: all } = await service.operator('GET', '/api/operator/plans')
  assert.ok(all.some(({ name }: { name: string }) => name === 'unlimited'))
  assert.equal((await service.operator('DELETE', '/api/operator/plans/team')).status, 200)
  assert.equal((await service.operator('DELETE', '/api/operator/plans/team')).body.code, 'plan.NOT_FOUND')
})

test('the operator can list the node that answers', async () => {
  const { body } = await service.operator('GET', '/api/operator/nodes')
  assert.equal(body.length, 1)
  const startedAt = Date.parse(body[0].startedAt)
  assert.ok(startedAt >= before && startedAt <= Date.now())
})
