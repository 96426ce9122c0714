import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contains, pixelsOf } from '@sandglass/wire/frames'
import fc from 'fast-check'
import { joinAreas } from './join-areas.ts'

const wholes = (...areas: Parameters<typeof joinAreas>[0]) => joinAreas(areas, 1.15).map(({ whole }) => whole)

test('a line of text that is split at cell borders becomes one area, even if it is ragged', () => {
  assert.deepEqual(
    wholes(
      { x: 64, y: 583, width: 64, height: 11 },
      { x: 9, y: 583, width: 55, height: 11 },
      { x: 129, y: 585, width: 63, height: 9 },
    ),
    [{ x: 9, y: 583, width: 183, height: 11 }],
  )
})

test('a block over four cells becomes one area, and a distant one stays separate', () => {
  assert.deepEqual(
    wholes(
      { x: 60, y: 60, width: 4, height: 4 },
      { x: 64, y: 60, width: 30, height: 4 },
      { x: 60, y: 64, width: 4, height: 20 },
      { x: 64, y: 64, width: 30, height: 20 },
      { x: 300, y: 60, width: 9, height: 9 },
    ),
    [
      { x: 60, y: 60, width: 34, height: 24 },
      { x: 300, y: 60, width: 9, height: 9 },
    ],
  )
})

test('after any joining, each area is part of exactly one area that contains it and little else', () => {
  const area = fc.record({
    x: fc.nat(200),
    y: fc.nat(200),
    width: fc.integer({ min: 1, max: 64 }),
    height: fc.integer({ min: 1, max: 64 }),
  })
  fc.assert(
    fc.property(fc.array(area, { maxLength: 30 }), areas => {
      const joined = joinAreas(areas, 1.15)
      assert.deepEqual(new Set(joined.flatMap(({ parts }) => parts)), new Set(areas))
      for (const { whole, parts } of joined) {
        assert.ok(parts.every(part => contains(whole, part)))
        assert.ok(pixelsOf(whole) <= 1.15 * parts.reduce((sum, part) => sum + pixelsOf(part), 0))
      }
    }),
  )
})
