import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs } from './backoff.ts'
import { renewalDelayMs } from './renewal.ts'

test('attempts come further and further apart, up to ten seconds, and never all at the same time', () => {
  assert.deepEqual(
    [1, 2, 3, 7, 50].map(attempt => backoffMs(attempt, () => 1)),
    [250, 500, 1000, 10_000, 10_000],
  )
  assert.equal(
    backoffMs(3, () => 0),
    500,
  )
})

test('a token is renewed with a quarter of its life left, and a wrong clock makes no flood', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(renewalDelayMs('2026-01-01T00:01:00Z', now), 45_000)
  assert.equal(renewalDelayMs('2025-01-01T00:00:00Z', now), 30_000)
  assert.equal(renewalDelayMs('nonsense', now), 30_000)
  assert.equal(renewalDelayMs('2999-01-01T00:00:00Z', now), 2 ** 31 - 1)
})
