import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeLossless } from './index.ts'

const text = (bytes: Uint8Array) => String.fromCharCode(...bytes)

test('a file has the correct header, length and size', () => {
  const file = encodeLossless({ width: 300, height: 7, pixels: new Uint8Array(300 * 7 * 4).fill(255) })
  const view = new DataView(file.buffer)
  assert.equal(text(file.subarray(0, 4)), 'RIFF')
  assert.equal(view.getUint32(4, true), file.length - 8)
  assert.equal(text(file.subarray(8, 16)), 'WEBPVP8L')
  assert.equal(file.length % 2, 0)
  assert.ok([0, 1].includes(file.length - 20 - view.getUint32(16, true)))
  assert.equal(file[20], 0x2f)
  const sizes = view.getUint32(21, true)
  assert.deepEqual([(sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1, sizes >>> 28], [300, 7, 0])
})

test('a size that WebP does not support, or that does not match the pixels, is rejected', () => {
  for (const [width, height] of [
    [0, 1],
    [1, 16385],
    [1.5, 2],
    [Number.NaN, 2],
  ] as const)
    assert.throws(() => encodeLossless({ width, height, pixels: new Uint8Array(8) }), /WebP has 1 to 16384/)
  assert.throws(
    () => encodeLossless({ width: 2, height: 2, pixels: new Uint8Array(12) }),
    /12 bytes of pixels; 2x2 has 16/,
  )
})

test('pixels can start at any offset of their buffer', () => {
  const memory = Uint8Array.from({ length: 4 * 12 + 3 }, (_, at) => at * 37)
  const picture = (pixels: Uint8Array<ArrayBuffer>) => encodeLossless({ width: 4, height: 3, pixels })
  assert.deepEqual(picture(memory.subarray(3)), picture(memory.slice(3)))
})

test('encoding a picture does not depend on earlier pictures', () => {
  const noise = Uint8Array.from({ length: 64 * 64 * 4 }, (_, at) => Math.imul(at, 2654435761) >>> 13)
  const small = { width: 5, height: 5, pixels: new Uint8Array(100).fill(9) }
  const first = encodeLossless(small)
  encodeLossless({ width: 64, height: 64, pixels: noise })
  assert.deepEqual(encodeLossless(small), first)
})
