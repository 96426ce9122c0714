import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlinkFilter } from './blink-filter.ts'

const caret = { x: 400, y: 300, width: 2, height: 16 }

test('a blinking caret counts as activity at first, and then no more', () => {
  const blinkFilter = new BlinkFilter()
  const reported = Array.from({ length: 8 }, (_, i) => blinkFilter.isActivity([caret], i * 500))
  assert.deepEqual(reported, [true, true, false, false, false, false, false, false])
})

test('other changes count as activity while a spinner turns', () => {
  const blinkFilter = new BlinkFilter()
  for (let i = 0; i < 20; i++) blinkFilter.isActivity([caret], i * 16)
  assert.equal(blinkFilter.isActivity([caret], 330), false)
  assert.equal(blinkFilter.isActivity([caret, { x: 0, y: 0, width: 50, height: 20 }], 340), true)
})

test('a change of a large area always counts as activity', () => {
  const blinkFilter = new BlinkFilter()
  const video = { x: 0, y: 0, width: 640, height: 360 }
  for (let i = 0; i < 20; i++) assert.equal(blinkFilter.isActivity([video], i * 16), true)
})

test('a place that blinked long ago counts as activity again', () => {
  const blinkFilter = new BlinkFilter()
  for (let i = 0; i < 5; i++) blinkFilter.isActivity([caret], i * 100)
  assert.equal(blinkFilter.isActivity([caret], 60_000), true)
})
