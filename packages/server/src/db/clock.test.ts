import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseClock } from './clock.ts'

test('the clock continues from the time of the database, taken at the midpoint between query and response', () => {
  let ms = 1000
  const clock = new DatabaseClock(() => ms)
  const askedAt = ms
  ms += 10
  clock.learn(5_000_000, askedAt)
  assert.equal(clock.now(), 5_000_005)
  ms += 60_000
  assert.equal(clock.now(), 5_060_005)
})

test('a slow response replaces a faster one only if they contradict each other', () => {
  let ms = 2000
  const clock = new DatabaseClock(() => ms)
  clock.learn(1_000_000, 1990)
  assert.equal(clock.now(), 1_000_005)
  ms = 4000
  clock.learn(1_001_500, 2000)
  assert.equal(clock.now(), 1_002_005)
  clock.learn(9_000_000, 2000)
  assert.equal(clock.now(), 9_001_000)
})
