import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Penalty } from './penalty.ts'

test('a penalty is twice as long each time, up to half a minute, and is forgiven after a minute', () => {
  let nowMs = 0
  const penalty = new Penalty(() => nowMs)
  const reason = new Error('too much')
  const lengthMs = () => {
    penalty.impose(reason)
    const beganMs = nowMs
    for (; ; nowMs += 500)
      try {
        penalty.check()
        return nowMs - beganMs
      } catch (error) {
        assert.equal(error, reason)
      }
  }
  penalty.check()
  assert.deepEqual(Array.from({ length: 7 }, lengthMs), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  nowMs += 61_000
  assert.equal(lengthMs(), 1000)
})
