import assert from 'node:assert/strict'
import type { World } from './world.ts'

export async function organization({ client, service, sandboxId }: World): Promise<void> {
  assert.equal((await client.getOrganization()).id, service.orgId)
  assert.ok((await client.getStats()).sandboxes)
  assert.ok(Array.isArray(await client.getUsage({ sandboxId })))
  assert.ok((await client.listShapes()).some(({ name }) => name === 'small'))

  const { id: keyId, apiKey } = await client.createApiKey({ body: { name: 'new', role: 'viewer' } })
  assert.match(apiKey ?? '', /^sgk_/)
  assert.ok((await client.listApiKeys()).some(({ id }) => id === keyId))
  await client.revokeApiKey({ keyId })
  assert.ok(!(await client.listApiKeys()).some(({ id }) => id === keyId))

  const { id: tokenId } = await client.createTrialToken({ body: { name: 'try', shapeNames: ['small'] } })
  assert.ok((await client.listTrialTokens()).some(({ id }) => id === tokenId))
  await client.revokeTrialToken({ tokenId })

  const { id: projectId } = await client.createProject({ body: { name: 'apollo' } })
  assert.ok((await client.listProjects()).some(({ id, name }) => id === projectId && name === 'apollo'))
  await client.deleteProject({ projectId })
  assert.ok(!(await client.listProjects()).some(({ id }) => id === projectId))

  const { events } = await client.listEvents({ types: 'key.*', order: 'newest', limit: 1 })
  assert.deepEqual([events[0]?.type, events[0]?.subject], ['key.revoked', keyId])
  const entries = await Array.fromAsync(client.all('listAuditLog', { target: keyId, limit: 1 }))
  assert.deepEqual(entries.map(({ operation }) => operation).sort(), ['createApiKey', 'revokeApiKey'])
}
