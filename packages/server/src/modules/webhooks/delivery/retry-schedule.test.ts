import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryAfterMs, retryDelayMs } from './retry-schedule.ts'

const hourMs = 3_600_000

test('nine delays follow the first attempt, each extended by up to a tenth', () => {
  const tries = Array.from({ length: 10 }, (_, n) => n + 1)
  const hours = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]
  assert.deepEqual(
    tries.map(n => retryDelayMs(n, 0, () => 0)),
    [...hours.map(hour => hour * hourMs), undefined],
  )
  assert.equal(
    retryDelayMs(4, 0, () => 0.5),
    2 * hourMs * 1.05,
  )
})

test('an endpoint can ask for a longer delay, up to a day, and not for a shorter one', () => {
  assert.equal(retryDelayMs(1, 60_000), 60_000)
  assert.equal(
    retryDelayMs(2, 1000, () => 0),
    300_000,
  )
  assert.equal(retryDelayMs(1, 48 * hourMs), 24 * hourMs)
})

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-11-15T00:00:00Z')
  assert.equal(retryAfterMs('120', now), 120_000)
  assert.equal(retryAfterMs('Sun, 15 Nov 2026 00:01:00 GMT', now), 60_000)
  assert.equal(retryAfterMs('Sat, 14 Nov 2026 00:00:00 GMT', now), 0)
  assert.equal(retryAfterMs('999999999', now), 24 * hourMs)
  for (const invalid of ['soon', '', '-5', undefined, ['1', '2']])
    assert.equal(retryAfterMs(invalid, now), undefined)
})
