import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scale, type Size } from '@sandglass/protocol/tools'
import { fitted } from '@sandglass/workers/contract'
import fc from 'fast-check'

const side = fc.integer({ min: 1, max: 8000 })
const size = fc.record({ width: side, height: side })
const scaled = (screen: Size, longestSide: number) => new Scale(screen, fitted(screen, longestSide))

test('a picture has the size of the screen, or is scaled down in proportion if that is too large', () => {
  assert.deepEqual(scaled({ width: 1280, height: 720 }, 1280).picture, { width: 1280, height: 720 })
  assert.deepEqual(scaled({ width: 1920, height: 1080 }, 1280).picture, { width: 1280, height: 720 })
  assert.deepEqual(scaled({ width: 1080, height: 2400 }, 1200).picture, { width: 540, height: 1200 })
  assert.deepEqual(scaled({ width: 3840, height: 1 }, 320).picture, { width: 320, height: 1 })
})

test('a pixel of the picture is mapped to the middle of the area that it shows', () => {
  const half = scaled({ width: 2000, height: 1000 }, 1000)
  assert.deepEqual(half.toScreen({ x: 0, y: 0 }), { x: 1, y: 1 })
  assert.deepEqual(half.toScreen({ x: 999, y: 499 }), { x: 1999, y: 999 })
  assert.equal(half.toScreen({ x: 1000, y: 0 }), undefined)
  assert.equal(half.toScreen({ x: -1, y: 0 }), undefined)
})

test('every pixel of every picture is mapped onto the screen and back to itself', () => {
  const arbitrary = size.chain(screen =>
    fc.integer({ min: 1, max: 8000 }).chain(longest => {
      const scale = scaled(screen, longest)
      const { width, height } = scale.picture
      return fc.record({
        scale: fc.constant(scale),
        x: fc.integer({ min: 0, max: width - 1 }),
        y: fc.integer({ min: 0, max: height - 1 }),
      })
    }),
  )
  fc.assert(
    fc.property(arbitrary, ({ scale, x, y }) => {
      const point = scale.toScreen({ x, y })
      assert.ok(point)
      assert.ok(point.x >= 0 && point.x < scale.screen.width && point.y >= 0 && point.y < scale.screen.height)
      assert.deepEqual(scale.toPicture(point), { x, y })
    }),
    { numRuns: 2000 },
  )
})
