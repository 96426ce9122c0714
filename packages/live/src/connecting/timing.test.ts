import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs } from './backoff.ts'
import { renewalDelayMs } from './renewal.ts'

test('the reconnect delay doubles up to ten seconds and is randomised', () => {
  assert.deepEqual(
    [1, 2, 3, 7, 50].map(attempt => backoffMs(attempt, () => 1)),
    [250, 500, 1000, 10_000, 10_000],
  )
  assert.equal(
    backoffMs(3, () => 0),
    500,
  )
})

test('a token is renewed with a quarter of its lifetime left, and a wrong clock does not cause a flood of renewals', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(renewalDelayMs('2026-01-01T00:01:00Z', now), 45_000)
  assert.equal(renewalDelayMs('2025-01-01T00:00:00Z', now), 30_000)
  assert.equal(renewalDelayMs('nonsense', now), 30_000)
  assert.equal(renewalDelayMs('2999-01-01T00:00:00Z', now), 2 ** 31 - 1)
})
