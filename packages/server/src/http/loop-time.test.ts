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
/** A thread that always has a processor. */
const always = () => Number.POSITIVE_INFINITY

test('an organization that used more than its share waits until it has paid for it, and others do not', () => {
  const time = new LoopTime(0.25, always)
  time.charge(greedy, 0, 1500)
  time.admit(modest, 1500)
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

test('an organization that is alone can use all of the time, and pays little for it when others come', () => {
  const time = new LoopTime(0.25, always)
  for (let at = 0; at < 3_600_000; at += 1000) {
    time.charge(greedy, at, at + 1000)
    time.admit(greedy, at + 1000)
  }
  time.admit(modest, 3_600_000)
  assert.throws(() => time.admit(greedy, 3_600_000), { retryAfter: 10 })
  time.admit(greedy, 3_610_000)
})

test('time in which the thread waited for a processor is not counted', () => {
  const time = new LoopTime(0.25, () => 1)
  for (let at = 0; at < 100_000; at += 10) {
    time.charge(greedy, at, at + 10)
    time.admit(modest, at + 10)
    time.admit(greedy, at + 10)
  }
})

test('an organization saves up no more than a second at a quarter of the time', () => {
  const time = new LoopTime(0.25, always)
  time.charge(greedy, 0, 100)
  time.admit(greedy, 1_000_000)
  time.charge(greedy, 1_000_000, 1_000_990)
  time.admit(modest, 1_000_990)
  time.admit(greedy, 1_000_990)
  time.charge(greedy, 1_000_990, 1_001_990)
  assert.throws(() => time.admit(greedy, 1_001_990))
})

test('short work costs nothing', () => {
  const time = new LoopTime(0.01, always)
  for (let i = 0; i < 100_000; i++) time.charge(greedy, i * 4, i * 4 + 1.5)
  time.admit(modest, 400_000)
  time.admit(greedy, 400_000)
})
