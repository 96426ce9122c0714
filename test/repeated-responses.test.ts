import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createHttpMapping,
  createLiveInvitation,
  createLiveToken,
  createTrialToken,
} from '@sandglass/protocol'
import { sql } from 'kysely'
import type { z } from 'zod'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const service = await startTestService({}, async () => paperEngines())
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

test('repeated responses match their schemas, and no secret of them is stored', async () => {
  const { body: sandbox } = await service.post('~/sandboxes', { shapeName: 'linux-desktop' })
  const path = `~/sandboxes/${sandbox.id}`
  const secretsOf: Record<string, string[]> = {
    createHttpMapping: ['accessToken'],
    createLiveToken: ['endUserToken'],
    createLiveInvitation: ['url', 'code'],
    createTrialToken: ['trialToken'],
  }
  for (const [operation, at, body] of [
    [createHttpMapping, `${path}/mappings`, { targetEndpoint: '127.0.0.1:3000' }],
    [createLiveToken, `${path}/live/tokens`, {}],
    [createLiveInvitation, `${path}/live/invitations`, {}],
    [createTrialToken, '~/trial-tokens', { shapeNames: ['linux-desktop'] }],
  ] as const) {
    const first = await service.post(at, body, keyed(operation.id))
    const second = await service.post(at, body, keyed(operation.id))
    assert.deepEqual([first.status, second.status], [200, 200], operation.id)
    const response: z.ZodType | undefined = operation.response
    assert.deepEqual(response?.safeParse(second.body).error, undefined, operation.id)
    const { rows } = await sql`SELECT answer FROM idempotency`.execute(service.pool.db)
    for (const name of secretsOf[operation.id] ?? [])
      assert.ok(!JSON.stringify(rows).includes(first.body[name]), `${operation.id} stores ${name}`)
  }
})

test('a repeated mapping contains its token, which the caller can look up anyway', async () => {
  const { body: sandbox } = await service.post('~/sandboxes', { shapeName: 'linux-desktop' })
  const create = () =>
    service.post(
      `~/sandboxes/${sandbox.id}/mappings`,
      { targetEndpoint: 'localhost:80' },
      keyed(`map ${sandbox.id}`),
    )
  const first = await create()
  assert.ok(first.body.accessToken.length > 10)
  assert.deepEqual((await create()).body, first.body)
})
