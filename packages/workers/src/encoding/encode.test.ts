import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { pictureFormats } from '../contract/picture-format.ts'
import { gradient, windows } from '../testing/frames.ts'
import { encodePixels, remake } from './encode.ts'
import { isFlat } from './flatness.ts'

const drawn = windows(320, 200)
const photo = gradient(320, 200)

async function decode(encoded: Uint8Array) {
  const { data, info } = await sharp(encoded).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, info, format: (await sharp(encoded).metadata()).format }
}

function rgbOf(pixels: Uint8Array): Buffer {
  return Buffer.from(pixels.filter((_, at) => at % 4 !== 3))
}

/** Returns the mean difference of all bytes. */
function distance(a: Uint8Array, b: Uint8Array): number {
  assert.equal(a.length, b.length)
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length
}

test('windows are flat, and a gradient with noise is not', () => {
  assert.equal(isFlat(drawn.pixels, drawn.width), true)
  assert.equal(isFlat(photo.pixels, photo.width), false)
})

for (const format of pictureFormats)
  test(`${format} decodes to the pixels of the screen`, async () => {
    for (const frame of [drawn, photo]) {
      const { data, info, format: found } = await decode(await encodePixels(frame, format))
      assert.deepEqual([found, info.width, info.height, info.channels], [format, 320, 200, 3])
      const exact = format === 'png' || (format === 'webp' && frame === drawn)
      if (exact) assert.ok(data.equals(rgbOf(frame.pixels)))
      else assert.ok(distance(data, rgbOf(frame.pixels)) < 4)
    }
  })

test('a converted picture has the pixels of its source', async () => {
  const webp = await encodePixels(photo, 'webp')
  const { data } = await decode(await remake(webp, 'png'))
  assert.ok(data.equals((await decode(webp)).data))
  assert.ok(!data.equals(rgbOf(photo.pixels)))
})
