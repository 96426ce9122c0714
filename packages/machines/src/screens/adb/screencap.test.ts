import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MachineError } from '../../contract/errors.ts'
import { difference } from './difference.ts'
import { parseScreencap } from './screencap.ts'

function capture(format: number, pixels: readonly number[], head: readonly number[] = [1]): Buffer {
  const words = [2, 1, format, ...head]
  const bytes = Buffer.alloc(4 * words.length + pixels.length)
  for (const [index, word] of words.entries()) bytes.writeUInt32LE(word, 4 * index)
  bytes.set(pixels, 4 * words.length)
  return bytes
}

const colours = (bytes: Buffer) => {
  const { pixels } = parseScreencap(bytes)
  return [...pixels.subarray(0, 3), ...pixels.subarray(4, 7)]
}

test('a capture is parsed in each pixel format, with and without a colour space', () => {
  assert.deepEqual(colours(capture(1, [1, 2, 3, 255, 4, 5, 6, 255])), [1, 2, 3, 4, 5, 6])
  assert.deepEqual(colours(capture(2, [1, 2, 3, 0, 4, 5, 6, 0], [])), [1, 2, 3, 4, 5, 6])
  assert.deepEqual(colours(capture(3, [1, 2, 3, 4, 5, 6])), [1, 2, 3, 4, 5, 6])
  assert.deepEqual(colours(capture(5, [3, 2, 1, 255, 6, 5, 4, 255])), [1, 2, 3, 4, 5, 6])
  assert.deepEqual(colours(capture(4, [0x00, 0xf8, 0x1f, 0x00])), [255, 0, 0, 0, 0, 255])
})

test('a capture that is truncated, too large, or of another size than it declares is refused', () => {
  const whole = capture(1, [1, 2, 3, 255, 4, 5, 6, 255])
  for (let length = 0; length < whole.length; length++)
    assert.throws(() => parseScreencap(whole.subarray(0, length)), MachineError, `${length} bytes`)
  const large = Buffer.from(whole)
  large.writeUInt32LE(0x40000000, 0)
  assert.throws(() => parseScreencap(large), MachineError)
  assert.throws(() => parseScreencap(capture(9, [1, 2, 3, 4, 5, 6, 7, 8])), MachineError)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
      try {
        parseScreencap(Buffer.from(bytes))
      } catch (error) {
        assert.ok(error instanceof MachineError)
      }
    }),
  )
})

test('the difference of two captures is the smallest rectangle around what changed', () => {
  const [width, height] = [9, 7]
  const place = fc.tuple(fc.nat(width - 1), fc.nat(height - 1))
  fc.assert(
    fc.property(fc.array(place, { maxLength: 5 }), places => {
      const before = { width, height, pixels: new Uint8Array(4 * width * height) }
      const now = { ...before, pixels: before.pixels.slice() }
      for (const [x, y] of places) now.pixels[4 * (y * width + x)] = 1
      const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)]
      const [x, y] = [Math.min(...xs), Math.min(...ys)]
      const smallest = { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1 }
      assert.deepEqual(difference(before, now), places.length === 0 ? [] : [smallest])
    }),
  )
})
