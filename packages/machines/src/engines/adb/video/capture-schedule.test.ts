import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CaptureSchedule } from './capture-schedule.ts'

function testSchedule() {
  let nowMs = 0
  const schedule = new CaptureSchedule(() => nowMs)
  const after = (ms: number) => {
    nowMs += ms
    return schedule
  }
  return { schedule, after }
}

test('a capture is due when the video is quiet', () => {
  const { schedule, after } = testSchedule()
  schedule.videoChanged()
  assert.equal(after(199).leftMs(), 1)
  assert.equal(after(1).leftMs(), 0)
})

test('a screen that keeps changing is still captured regularly', () => {
  const { schedule, after } = testSchedule()
  const captures = Array.from({ length: 60 }, () => {
    schedule.videoChanged()
    const isDue = after(100).leftMs() === 0
    if (isDue) schedule.captureStarted()
    return isDue
  }).filter(isDue => isDue)
  assert.equal(captures.length, 3)
})

test('an exact screen is captured again after a while, and may have changed once', () => {
  const { schedule, after } = testSchedule()
  assert.equal(schedule.captured(true), true)
  assert.equal(after(4999).leftMs(), 1)
  assert.equal(after(1).leftMs(), 0)
  schedule.captureStarted()
  assert.equal(schedule.captured(true), true)
  assert.equal(after(5000).leftMs(), 0)
  assert.equal(schedule.captured(false), true)
})

test('a capture is due soon after the video of an exact screen shows a change', () => {
  const { schedule, after } = testSchedule()
  schedule.captured(false)
  assert.equal(after(1000).videoChanged(), true)
  assert.equal(schedule.videoChanged(), false)
  assert.equal(schedule.leftMs(), 200)
})

test('a video that misses two changes has stopped', () => {
  const { schedule } = testSchedule()
  schedule.captured(false)
  assert.equal(schedule.captured(true), true)
  assert.equal(schedule.captured(true), false)
})

test('a video that shows a change has not stopped', () => {
  const { schedule } = testSchedule()
  schedule.captured(false)
  schedule.captured(true)
  schedule.videoChanged()
  assert.equal(schedule.captured(true), true)
  assert.equal(schedule.captured(true), true)
})
