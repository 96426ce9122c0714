import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { assistant, madeServer, use } from '../packages/server/src/testing/assistant.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const service = await startTestService({}, async () => paperEngines())
const shape = 'linux-desktop'

async function startTrial(expiresInSeconds: number) {
  const { body } = await service.post('~/trial-tokens', {
    shapeNames: [shape],
    sandboxQuota: 3,
    expiresInSeconds,
  })
  const request = { key: null, headers: { 'x-trial-session-token': body.trialToken } }
  return { id: body.id, token: body.trialToken, endsAt: body.expiresAt, request }
}

const isGone = async (id: string) => (await service.get(`~/sandboxes/${id}`)).status === 404
const endOf = async (id: string) => (await service.get(`~/sandboxes/${id}`)).body.sandbox.expiresAt

test('a sandbox that a trial creates ends with the trial, however long it was to live', async () => {
  const trial = await startTrial(600)
  const { body } = await service.post('~/sandboxes', { shape, maxLifeSeconds: 86_400 }, trial.request)
  assert.deepEqual([body.expiresAt, body.expiredAt], [trial.endsAt, trial.endsAt])
  const shorter = await service.post('~/sandboxes', { shape, maxLifeSeconds: 60 }, trial.request)
  assert.ok(shorter.body.expiresAt < trial.endsAt)
  const own = await service.post('~/sandboxes', { shape, maxLifeSeconds: 86_400 })
  assert.ok(own.body.expiresAt > trial.endsAt, 'the sandboxes of the organization are not limited')
})

test('nobody can extend a sandbox beyond the end of the trial that created it', async () => {
  const trial = await startTrial(600)
  const { body } = await service.post('~/sandboxes', { shape, maxLifeSeconds: 60 }, trial.request)
  for (const request of [trial.request, {}]) {
    const extended = await service.post(`~/sandboxes/${body.id}/extend`, { maxLifeSeconds: 7200 }, request)
    assert.equal(extended.status, 200)
    assert.equal(await endOf(body.id), trial.endsAt)
  }
})

test('a sandbox that an MCP server creates for a trial ends with the trial', async () => {
  const trial = await startTrial(600)
  const server = await madeServer(service, { sandboxShape: shape, sandboxMaxLifetimeSeconds: 86_400 })
  await use(await assistant(service, server.id, { key: trial.token }), 'shell', { command: 'true' })
  const { body } = await service.get('~/sandboxes', trial.request)
  assert.deepEqual([body.length, body[0].expiresAt], [1, trial.endsAt])
})

test('the sandboxes of a trial end when the trial expires', async () => {
  const trial = await startTrial(10)
  const { body } = await service.post('~/sandboxes', { shape, maxLifeSeconds: 86_400 }, trial.request)
  await waitFor(() => isGone(body.id))
})

test('the sandboxes of a trial end when the trial is revoked', async () => {
  const trial = await startTrial(600)
  const { body } = await service.post('~/sandboxes', { shape, maxLifeSeconds: 86_400 }, trial.request)
  const { body: own } = await service.post('~/sandboxes', { shape })
  assert.equal((await service.delete(`~/trial-tokens/${trial.id}`)).status, 200)
  await waitFor(() => isGone(body.id))
  assert.equal(await isGone(own.id), false)
})
