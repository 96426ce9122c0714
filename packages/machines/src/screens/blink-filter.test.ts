import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Restlessness } from './restlessness.ts'

const caret = { x: 400, y: 300, width: 2, height: 16 }

test('a caret tells for its first blinks, and then no more', () => {
  const restlessness = new Restlessness()
  const told = Array.from({ length: 8 }, (_, i) => restlessness.isTelling([caret], i * 500))
  assert.deepEqual(told, [true, true, false, false, false, false, false, false])
})

test('something else tells also while a spinner turns', () => {
  const restlessness = new Restlessness()
  for (let i = 0; i < 20; i++) restlessness.isTelling([caret], i * 16)
  assert.equal(restlessness.isTelling([caret], 330), false)
  assert.equal(restlessness.isTelling([caret, { x: 0, y: 0, width: 50, height: 20 }], 340), true)
})

test('a large part of the screen tells however often it changes', () => {
  const restlessness = new Restlessness()
  const video = { x: 0, y: 0, width: 640, height: 360 }
  for (let i = 0; i < 20; i++) assert.equal(restlessness.isTelling([video], i * 16), true)
})

test('what was restless long ago tells again', () => {
  const restlessness = new Restlessness()
  for (let i = 0; i < 5; i++) restlessness.isTelling([caret], i * 100)
  assert.equal(restlessness.isTelling([caret], 60_000), true)
})
