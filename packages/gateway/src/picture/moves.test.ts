import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Mirror } from './mirror.ts'
import { findMoves } from './moves.ts'

const size = { width: 300, height: 200 }
const whole = { x: 0, y: 0, ...size }

function page(seed: number): Mirror {
  const mirror = new Mirror(size)
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++)
      mirror.words[y * size.width + x] = Math.imul((x * 31 + y) ^ seed, 0x9e3779b1) | 0xff000000
  return mirror
}

function copied(mirror: Mirror): Mirror {
  const copy = new Mirror(size)
  copy.words.set(mirror.words)
  return copy
}

test('a scrolling page becomes one move, next to a scroll bar that stays', () => {
  const before = page(1)
  const after = copied(before)
  after.move({ area: { x: 0, y: 0, width: 256, height: 160 }, from: { x: 0, y: 40 } })
  assert.deepEqual(findMoves(before, after, whole), [
    { area: { x: 0, y: 0, width: 256, height: 160 }, from: { x: 0, y: 40 } },
  ])
})

test('pictures without motion have no moves, even if everything changed', () => {
  assert.deepEqual(findMoves(page(1), page(1), whole), [])
  assert.deepEqual(findMoves(page(1), page(2), whole), [])
})

test('applying the moves in order turns the old picture into the new one in their areas', () => {
  const scroll = fc.record({
    top: fc.nat(80),
    height: fc.integer({ min: 40, max: 110 }),
    by: fc.integer({ min: -60, max: 60 }),
    noise: fc.array(fc.nat(size.width * size.height - 1), { maxLength: 40 }),
  })
  fc.assert(
    fc.property(scroll, ({ top, height, by, noise }) => {
      const before = page(7)
      const after = copied(before)
      const from = Math.max(0, Math.min(size.height - height, top - by))
      after.move({ area: { x: 0, y: top, width: size.width, height }, from: { x: 0, y: from } })
      for (const at of noise) after.words[at] = 0
      const moved = copied(before)
      const moves = findMoves(before, after, whole)
      for (const move of moves) moved.move(move)
      for (const { area } of moves)
        for (let y = area.y; y < area.y + area.height; y++) {
          const [start, end] = [y * size.width + area.x, y * size.width + area.x + area.width]
          assert.deepEqual(moved.words.subarray(start, end), after.words.subarray(start, end))
        }
    }),
  )
})
