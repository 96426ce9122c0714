import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlap } from '@sandglass/wire/frames'
import fc from 'fast-check'
import { Copies } from './copies.ts'
import { Mirror } from './mirror.ts'
import type { Move } from './moves.ts'

const size = { width: 40, height: 30 }

/** A picture in which every pixel is different. */
function numbered(): Mirror {
  const mirror = new Mirror(size)
  for (const at of mirror.words.keys()) mirror.words[at] = at
  return mirror
}

function joined(...copies: readonly Move[]): Move[] {
  const all = new Copies()
  for (const copy of copies) all.add([copy])
  return all.take()
}

test('a window that is dragged in steps becomes one copy from where it started', () => {
  const [width, height] = [10, 8]
  const steps = [
    { area: { x: 3, y: 2, width, height }, from: { x: 1, y: 1 } },
    { area: { x: 9, y: 3, width, height }, from: { x: 3, y: 2 } },
    { area: { x: 5, y: 20, width, height }, from: { x: 9, y: 3 } },
  ]
  assert.deepEqual(joined(...steps), [{ area: { x: 5, y: 20, width, height }, from: { x: 1, y: 1 } }])
})

test('a scroll that is split at the pointer becomes one copy, and stays one', () => {
  const cut = [
    { area: { x: 0, y: 0, width: 40, height: 10 }, from: { x: 0, y: 3 } },
    { area: { x: 0, y: 10, width: 30, height: 2 }, from: { x: 0, y: 13 } },
    { area: { x: 0, y: 12, width: 40, height: 15 }, from: { x: 0, y: 15 } },
  ]
  const copies = new Copies()
  copies.add(cut)
  copies.add(cut.toReversed())
  assert.deepEqual(copies.take(), [{ area: { x: 0, y: 0, width: 40, height: 24 }, from: { x: 0, y: 6 } }])
})

test('copies that cancel out disappear, and separate ones stay separate', () => {
  const [there, back] = [
    { area: { x: 10, y: 0, width: 5, height: 5 }, from: { x: 0, y: 0 } },
    { area: { x: 0, y: 0, width: 5, height: 5 }, from: { x: 10, y: 0 } },
  ]
  assert.deepEqual(joined(there, back), [])
  const elsewhere = { area: { x: 20, y: 20, width: 5, height: 5 }, from: { x: 30, y: 20 } }
  assert.deepEqual(joined(there, elsewhere), [there, elsewhere])
})

test('few copies are kept, however many are reported, and none after they are taken', () => {
  const copies = new Copies()
  for (let y = 0; y < 10_000; y++)
    copies.add([{ area: { x: 0, y: 2 * y, width: 2, height: 1 }, from: { x: 9, y: 2 * y } }])
  assert.equal(copies.take().length, 16)
  assert.deepEqual(copies.take(), [])
})

const place = fc.record({ x: fc.nat(size.width - 1), y: fc.nat(size.height - 1) })
const copy = fc
  .record({
    to: place,
    from: place,
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ to, from, width, height }): Move => {
    const area = {
      ...to,
      width: Math.min(width, size.width - Math.max(to.x, from.x)),
      height: Math.min(height, size.height - Math.max(to.y, from.y)),
    }
    return { area, from }
  })

test('a merged copy has the same effect as its two parts', () => {
  fc.assert(
    fc.property(copy, copy, (first, second) => {
      const [one, ...more] = joined(first, second)
      const both = overlap(first.area, { ...second.area, ...second.from })
      if (!one || more.length > 0 || !both) return
      const [whole, short] = [numbered(), numbered()]
      for (const each of [first, second]) whole.move(each)
      short.move(one)
      const { x, y, width, height } = one.area
      for (let row = y; row < y + height; row++) {
        const [start, end] = [row * size.width + x, row * size.width + x + width]
        assert.deepEqual(short.words.subarray(start, end), whole.words.subarray(start, end))
      }
    }),
    { numRuns: 1000 },
  )
})

test('a report of very many copies is no scrolling, and is not joined pair by pair', () => {
  const all = new Copies()
  const moved = (n: number): Move => {
    const [x, y] = [3 * (n % 400), 3 * Math.floor(n / 400)]
    return { area: { x, y, width: 1, height: 1 }, from: { x, y: y + 1 } }
  }
  all.add(Array.from({ length: 2000 }, (_, n) => moved(n)))
  assert.deepEqual(all.take(), [])
})
