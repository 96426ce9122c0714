import assert from 'node:assert/strict'
import type { World } from './world.ts'

export async function organization({ client, service, sandboxId }: World): Promise<void> {
  assert.equal((await client.getOrganization()).id, service.orgId)
  assert.ok((await client.getStats()).sandboxes)
  assert.ok(Array.isArray(await client.getUsage({ sandboxId })))
  const { limits } = await client.getLimits()
  assert.ok(
    limits.some(({ name, used, limit }) => name === 'concurrentSandboxes' && used > 0 && limit === null),
  )
  const shape = (await client.listShapes()).find(({ name }) => name === 'small')
  assert.ok(shape && shape.cpus > 0 && shape.memoryMiB > 0 && shape.diskMiB > 0)

  const { id: keyId, apiKey } = await client.createApiKey({ body: { name: 'new', role: 'viewer' } })
  assert.match(apiKey ?? '', /^sgk_/)
  assert.ok((await client.listApiKeys()).some(({ id }) => id === keyId))
  const changed = await client.updateApiKey({ keyId, body: { name: 'newer', role: 'member' } })
  assert.deepEqual([changed.id, changed.name, changed.role], [keyId, 'newer', 'member'])
  const rotated = await client.rotateApiKey({ keyId, body: { graceSeconds: 60 } })
  assert.match(rotated.apiKey ?? '', /^sgk_/)
  assert.notEqual(rotated.apiKey, apiKey)
  await client.revokeApiKey({ keyId })
  assert.ok(!(await client.listApiKeys()).some(({ id }) => id === keyId))

  const { id: tokenId } = await client.createTrialToken({ body: { name: 'try', shapeNames: ['small'] } })
  assert.ok((await client.listTrialTokens()).some(({ id }) => id === tokenId))
  await client.revokeTrialToken({ tokenId })

  const { id: projectId } = await client.createProject({ body: { name: 'apollo' } })
  assert.ok((await client.listProjects()).some(({ id, name }) => id === projectId && name === 'apollo'))
  assert.equal((await client.updateProject({ projectId, body: { name: 'gemini' } })).name, 'gemini')
  await client.deleteProject({ projectId })
  assert.ok(!(await client.listProjects()).some(({ id }) => id === projectId))

  const { events } = await client.listEvents({ types: 'key.*', order: 'newest', limit: 1 })
  assert.deepEqual([events[0]?.type, events[0]?.subject], ['key.revoked', keyId])
  const entries = await Array.fromAsync(client.all('listAuditLog', { target: keyId, limit: 1 }))
  assert.deepEqual(entries.map(({ operation }) => operation).sort(), [
    'createApiKey',
    'revokeApiKey',
    'rotateApiKey',
    'updateApiKey',
  ])
}
