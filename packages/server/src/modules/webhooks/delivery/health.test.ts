import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebhookWorld } from '../testing/webhook-world.ts'
import { EndpointHealth } from './health.ts'

const { db } = await WebhookWorld.start()
const clock = { now: () => Date.now() }
const attempt = { at: '', durationMs: 0, contentType: null, body: '' }
const success = { attempt: { ...attempt, status: 200, error: null } }
const failure = { attempt: { ...attempt, status: 500, error: 'The endpoint answered 500.' } }

test('an endpoint gets one more request at a time with each success, and one while it fails', async () => {
  const health = new EndpointHealth(db, clock, 'absent')
  assert.equal(health.maxRequests, 2)
  for (let n = 0; n < 50; n++) await health.note(success)
  assert.equal(health.maxRequests, 32)
  await health.note(failure)
  assert.equal(health.maxRequests, 1)
  await health.note(success)
  assert.equal(health.maxRequests, 3)
})

test('an endpoint that asks for a delay is paused for that time', async () => {
  let now = 0
  const health = new EndpointHealth(db, { now: () => now }, 'absent')
  await health.note({ ...failure, retryAfterMs: 60_000 })
  assert.equal(health.isPaused, true)
  now = 60_001
  assert.equal(health.isPaused, false)
})
