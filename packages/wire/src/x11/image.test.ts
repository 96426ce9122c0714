import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getImage, readDamage, readImage, X11Error } from './index.ts'

function reply(depth: number, ...pixels: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(32 + pixels.length)
  bytes.set([1, depth])
  bytes.set(pixels, 32)
  return bytes
}

test('blue-first pixels of the server become red-first', () => {
  const pixels = readImage(reply(24, 3, 2, 1, 0, 0xff, 0x80, 0x40, 0xff), 2)
  assert.deepEqual([...pixels], [1, 2, 3, 0, 0x40, 0x80, 0xff, 0])
})

test('an image is a copy, whatever the alignment of the reply', () => {
  const memory = Buffer.alloc(100, 7)
  memory.set(reply(24, 3, 2, 1, 0), 5)
  const before = Buffer.from(memory)
  assert.deepEqual([...readImage(memory.subarray(5, 41), 1)], [1, 2, 3, 0])
  assert.deepEqual(memory, before)
})

test('an image that is smaller than requested, or not true colour, is rejected', () => {
  assert.throws(() => readImage(reply(24, 1, 2, 3, 4), 2), X11Error)
  assert.throws(() => readImage(reply(8, 1, 2, 3, 4), 1), X11Error)
})

test('the area of a damage event can be requested as an image', () => {
  const event = new Uint8Array(32)
  event.set([5, 0, 6, 0, 0x2c, 1, 8, 0], 16)
  const area = readDamage(event)
  assert.deepEqual(area, { x: 5, y: 6, width: 300, height: 8 })
  const asked = getImage(0x01020304, area)
  assert.deepEqual([...asked], [73, 2, 5, 0, 4, 3, 2, 1, 5, 0, 6, 0, 0x2c, 1, 8, 0, 0xff, 0xff, 0xff, 0xff])
})
