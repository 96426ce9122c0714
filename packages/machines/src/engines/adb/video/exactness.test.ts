import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Exactness } from './exactness.ts'

function exactness() {
  let nowMs = 0
  const exact = new Exactness(() => nowMs)
  const after = (ms: number) => {
    nowMs += ms
    return exact
  }
  return { exact, after }
}

test('a screen is captured when its video is quiet', () => {
  const { exact, after } = exactness()
  exact.lose()
  assert.equal(after(199).leftMs(), 1)
  assert.equal(after(1).leftMs(), 0)
})

test('a screen that is never quiet is captured now and then', () => {
  const { exact, after } = exactness()
  const captures = Array.from({ length: 60 }, () => {
    exact.lose()
    const isDue = after(100).leftMs() === 0
    if (isDue) exact.begin()
    return isDue
  }).filter(isDue => isDue)
  assert.equal(captures.length, 3)
})

test('a screen that is exact is looked at again after a while, and may have changed once', () => {
  const { exact, after } = exactness()
  assert.equal(exact.gain(true), true)
  assert.equal(after(4999).leftMs(), 1)
  assert.equal(after(1).leftMs(), 0)
  exact.begin()
  assert.equal(exact.gain(true), true)
  assert.equal(after(5000).leftMs(), 0)
  assert.equal(exact.gain(false), true)
})

test('a screen that was exact is captured soon after its video shows a change', () => {
  const { exact, after } = exactness()
  exact.gain(false)
  assert.equal(after(1000).lose(), true)
  assert.equal(exact.lose(), false)
  assert.equal(exact.leftMs(), 200)
})

test('a video that twice shows nothing of what changed has stopped', () => {
  const { exact } = exactness()
  exact.gain(false)
  assert.equal(exact.gain(true), true)
  assert.equal(exact.gain(true), false)
})

test('a video that shows a change has not stopped', () => {
  const { exact } = exactness()
  exact.gain(false)
  exact.gain(true)
  exact.lose()
  assert.equal(exact.gain(true), true)
  assert.equal(exact.gain(true), true)
})
