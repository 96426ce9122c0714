import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PixelCanvas, type TileOp } from '@sandglass/wire/frames'
import fc from 'fast-check'
import { joinTiles } from './join-tiles.ts'
import { Mirror } from './mirror.ts'
import { paletteTile } from './tiles.ts'

const size = { width: 200, height: 150 }

const strip = fc.record({
  x: fc.nat(size.width - 1),
  y: fc.nat(size.height - 1),
  width: fc.integer({ min: 1, max: size.width }),
  height: fc.integer({ min: 1, max: 40 }),
  colours: fc.constantFrom(1, 2, 3, 9, 40),
  seed: fc.nat(0xffff),
})

function painted(strips: readonly (typeof strip extends fc.Arbitrary<infer T> ? T : never)[]): Mirror {
  const mirror = new Mirror(size)
  for (const { x, y, width, height, colours, seed } of strips)
    for (let row = y; row < Math.min(y + height, size.height); row++)
      for (let column = x; column < Math.min(x + width, size.width); column++)
        mirror.words[row * size.width + column] =
          (seed ^ ((Math.imul(row * 31 + column, 0x9e3779b1) >>> 16) % colours)) | 0xff000000
  return mirror
}

function tilesOf(mirror: Mirror): TileOp[] {
  const { cells } = mirror
  const black = new Mirror(size)
  return cells.all().flatMap(cell => {
    const changed = black.take(cells.areaOf(cell), mirror)
    return changed ? (paletteTile(mirror, changed) ?? []) : []
  })
}

test('joined tiles draw the same pixels, and are not more tiles than before', () => {
  fc.assert(
    fc.property(fc.array(strip, { maxLength: 6 }), strips => {
      const mirror = painted(strips)
      const apart = tilesOf(mirror)
      const joined = joinTiles(mirror, apart)
      assert.ok(joined.length <= apart.length)
      const canvas = new PixelCanvas(size.width, size.height)
      for (const tile of joined) canvas.draw(tile)
      assert.deepEqual(new Int32Array(canvas.rgba.buffer), mirror.words)
    }),
  )
})

test('a block of one colour becomes one fill, and a line of text one tile', () => {
  const block = painted([{ x: 30, y: 30, width: 100, height: 40, colours: 1, seed: 0xabcd }])
  assert.deepEqual(
    joinTiles(block, tilesOf(block)).map(({ op, area }) => [op, area]),
    [['fill', { x: 30, y: 30, width: 100, height: 40 }]],
  )
  const line = painted([{ x: 10, y: 70, width: 180, height: 13, colours: 2, seed: 0xfffffe }])
  assert.deepEqual(
    joinTiles(line, tilesOf(line)).map(({ op }) => op),
    ['columns'],
  )
})
