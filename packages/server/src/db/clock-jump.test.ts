import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseClock } from './clock.ts'

const hourMs = 3_600_000
const doubtMs = 600_000

/** A clock whose database and whose monotonic clock the test moves. */
function started() {
  let [monotonicMs, databaseMs] = [1000, 5_000_000_000]
  const clock = new DatabaseClock(() => monotonicMs)
  const pass = (ms: number) => {
    monotonicMs += ms
    databaseMs += ms
    clock.learn(databaseMs, monotonicMs)
  }
  const jump = (ms: number) => {
    databaseMs += ms
    pass(1)
  }
  pass(1)
  return { clock, pass, jump, now: () => databaseMs }
}

test('a clock that jumps ahead is doubted for ten minutes, and believed then', () => {
  const { clock, pass, jump, now } = started()
  assert.equal(clock.isDoubted, false)
  jump(30 * hourMs)
  assert.equal(clock.isDoubted, true)
  assert.equal(Math.round(clock.jumpedByMs / hourMs), 30)
  assert.equal(clock.now(), now())
  pass(doubtMs - 1000)
  assert.equal(clock.isDoubted, true)
  pass(2000)
  assert.equal(clock.isDoubted, false)
})

test('a clock that is set right is believed at once', () => {
  const { clock, pass, jump } = started()
  jump(30 * hourMs)
  pass(5000)
  jump(-30 * hourMs)
  assert.equal(clock.isDoubted, false)
  // Otherwise the next correction by a second would be a jump.
  jump(1000)
  assert.equal(clock.isDoubted, false)
})

test('a clock that jumps again is doubted for longer, and compared with what it was at first', () => {
  const { clock, pass, jump } = started()
  jump(hourMs)
  pass(doubtMs - 1000)
  jump(hourMs)
  pass(doubtMs - 1000)
  assert.equal(clock.isDoubted, true)
  assert.equal(Math.round(clock.jumpedByMs / hourMs), 2)
})

test('corrections, slow responses and jumps back are not doubted', () => {
  const { clock, pass, jump } = started()
  jump(30_000)
  jump(-5 * hourMs)
  pass(hourMs)
  assert.equal(clock.isDoubted, false)
})
