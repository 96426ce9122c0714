import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mirror } from './mirror.ts'
import { tileCost } from './tile-cost.ts'

const area = { x: 0, y: 0, width: 64, height: 64 }

function costOf(colourAt: (x: number, y: number) => number): number {
  const mirror = new Mirror(area)
  for (const at of mirror.words.keys()) mirror.words[at] = colourAt(at % 64, at >> 6)
  return tileCost(mirror, area)
}

/** Font-like pixels: strokes of one and two pixels in letters of 6 by 13. */
const letters = (x: number, y: number) => ((x % 6) % 3 === (Math.floor(x / 6) + y) % 3 && y % 13 < 9 ? 1 : 0)

test('plain colours and stripes cost nothing, text little and photos much', () => {
  assert.equal(
    costOf(() => 7),
    0,
  )
  assert.equal(
    costOf((x, y) => (y & 1) * 0xffffff + 0 * x),
    0,
  )
  const text = costOf(letters)
  assert.ok(text > 0 && text < 512, `${text}`)
  const photo = costOf((x, y) => (x * 4) | ((y * 4) << 8))
  assert.ok(photo > 4096, `${photo}`)
})
