import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Limits } from '@sandglass/protocol'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService({ SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.0/8' })

async function limits(): Promise<Record<string, [number, number | null]>> {
  const { status, body, text } = await service.get('~/limits')
  assert.equal(status, 200, text)
  return Object.fromEntries(Limits.parse(body).limits.map(({ name, used, limit }) => [name, [used, limit]]))
}

test('what an organization uses is shown next to what its plan and the service allow', async () => {
  assert.deepEqual(await limits(), {
    concurrentSandboxes: [0, null],
    machineImages: [0, null],
    snapshots: [0, null],
    volumes: [0, null],
    volumesMiB: [0, null],
    webhooks: [0, 100],
    apiKeys: [1, 1000],
    trialTokens: [0, 1000],
    projects: [1, 1000],
    mcpServers: [0, 1000],
  })
  const plan = {
    name: 'small',
    tier: 3,
    concurrentSandboxes: 2,
    machineImages: 0,
    volumesMiB: 640,
    webhooks: 1,
  }
  await service.operator('POST', '/api/operator/plans', plan)
  await service.operator('PATCH', `/api/operator/organizations/${service.orgId}`, { plan: 'small' })
  assert.equal((await service.post('~/webhooks', { url: 'http://127.0.0.1:9/' })).status, 200)
  await service.post('~/projects', { name: 'second' })
  await service.keyOf('viewer')
  const now = await limits()
  assert.deepEqual(
    [now['concurrentSandboxes'], now['machineImages'], now['volumesMiB'], now['webhooks']],
    [
      [0, 2],
      [0, 0],
      [0, 640],
      [1, 1],
    ],
  )
  assert.deepEqual(
    [now['projects'], now['apiKeys']],
    [
      [2, 1000],
      [2, 1000],
    ],
  )
  const { body } = await service.get('~/limits')
  assert.deepEqual([body.plan, body.tier], ['small', 3])
  // The limit is the one that refuses the next.
  const refused = await service.post('~/webhooks', { url: 'http://127.0.0.1:9/' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'webhook.TOO_MANY'])
})

test('viewers see the limits, and other organizations do not', async () => {
  assert.equal((await service.get('~/limits', { key: await service.keyOf('viewer') })).status, 200)
  const other = await service.otherOrganization()
  assert.equal((await service.get('~/limits', { key: other.apiKey })).status, 404)
})
