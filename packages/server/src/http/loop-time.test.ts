import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@sandglass/protocol'
import type { Principal } from '../auth/principal.ts'
import { LoopTime } from './loop-time.ts'

const callerOf = (id: string): Principal => ({
  kind: 'apiKey',
  id: `key of ${id}`,
  role: 'viewer',
  expiresAt: null,
  organization: { id, planTier: 0, featureFlags: [] },
})
const [greedy, modest] = [callerOf('greedy'), callerOf('modest')]

test('an organization that used more than its share waits until it has paid for it, and others do not', () => {
  const time = new LoopTime(0.25)
  time.charge(greedy, 0, 1500)
  assert.throws(
    () => time.admit(greedy, 1500),
    (error: unknown) =>
      error instanceof ApiError &&
      error.code === 'rate.LIMITED' &&
      error.retryAfter === 2 &&
      error.status === 429,
  )
  time.admit(modest, 1500)
  assert.throws(() => time.admit(greedy, 3000))
  time.admit(greedy, 3600)
})

test('an organization saves up no more than a second at a quarter of the time', () => {
  const time = new LoopTime(0.25)
  time.charge(greedy, 0, 100)
  time.admit(greedy, 1_000_000)
  time.charge(greedy, 1_000_000, 1_000_990)
  time.admit(greedy, 1_000_990)
  time.charge(greedy, 1_000_990, 1_001_990)
  assert.throws(() => time.admit(greedy, 1_001_990))
})

test('short work costs nothing', () => {
  const time = new LoopTime(0.01)
  for (let i = 0; i < 100_000; i++) time.charge(modest, i * 4, i * 4 + 1.5)
  time.admit(modest, 400_000)
})
