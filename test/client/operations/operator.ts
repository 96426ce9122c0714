import assert from 'node:assert/strict'
import type { World } from './world.ts'

export async function organizations({ operator }: World): Promise<void> {
  const { organization } = await operator.createOrganization({ body: { name: 'Acme' } })
  const organizationId = organization.id
  assert.ok((await operator.listOrganizations()).some(({ id }) => id === organizationId))
  const key = await operator.createOwnerKey({ organizationId, body: { name: 'spare' } })
  assert.match(key.apiKey ?? '', /^sgk_/)

  const limits = { concurrentSandboxes: 3, machineImages: null }
  await operator.createPlan({ body: { name: 'team', tier: 0, ...limits } })
  await operator.updateOrganization({ organizationId, body: { plan: 'team' } })
  assert.equal((await operator.updatePlan({ planName: 'team', body: { tier: 1 } })).tier, 1)
  assert.ok((await operator.listPlans()).some(({ name, tier }) => name === 'team' && tier === 1))
  await operator.deleteOrganization({ organizationId })
  await operator.deletePlan({ planName: 'team' })

  const { events } = await operator.listAllEvents({ orgId: organizationId })
  assert.ok(events.every(({ orgId }) => orgId === organizationId))
  const entries = await Array.fromAsync(operator.all('listOperatorAuditLog', { limit: 2 }))
  assert.ok(entries.some(({ operation }) => operation === 'deletePlan'))
}

export async function nodes({ operator, service }: World): Promise<void> {
  const [node] = await operator.listNodes()
  assert.ok(node)
  const nodeId = node.id
  assert.ok(node.resources && node.resources.cpus.total > 0)
  assert.equal((await operator.drainNode({ nodeId })).state, 'draining')
  assert.equal((await operator.undrainNode({ nodeId })).state, 'alive')

  // A node that was lost. The only one that there is cannot be removed.
  const now = new Date()
  const lost = { id: 'lost-node', hostname: 'lost', version: '0', url: null, started_at: now, seen_at: now }
  await service.pool.db.insertInto('nodes').values(lost).execute()
  await service.pool.db.updateTable('nodes').set({ lost_at: now }).where('id', '=', lost.id).execute()
  await operator.removeNode({ nodeId: lost.id })
  assert.equal((await operator.listNodes()).length, 1)
}

export async function service({ operator, service, sandboxId }: World): Promise<void> {
  const settings = await operator.getSettings()
  assert.ok(settings.some(({ name, isDefault }) => name === 'SANDGLASS_DATA' && !isDefault))
  const sandboxes = await operator.listAllSandboxes({ orgId: service.orgId, limit: 1000 })
  assert.ok(sandboxes.some(({ id, orgId }) => id === sandboxId && orgId === service.orgId))
  assert.ok(Array.isArray(await operator.listImageBuilds()))
  // This comes last, because the client of the operator has the old key.
  const { operatorKey, credentialsFile } = await operator.rotateOperatorKey()
  assert.match(operatorKey, /^sgo_/)
  assert.equal(credentialsFile, 'updated')
}
