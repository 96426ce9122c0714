import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyChanged } from './copy-changed.ts'

test('only what changed is copied, and regions beyond the edges are clipped', () => {
  const [width, height] = [10, 8]
  const pixels = new Uint8Array(width * height * 4).fill(9)
  const earlier = new Uint8Array(pixels.length)
  const frame = { width, height, pixels, pointer: { x: 0, y: 0 } }
  const changed = [
    { x: 2, y: 1, width: 3, height: 2 },
    { x: 8, y: 6, width: 50, height: 50 },
  ]
  assert.equal(copyChanged(frame, earlier, changed), earlier)
  const copied = (x: number, y: number) => earlier[(y * width + x) * 4 + 3] === 9
  const isInside = (x: number, y: number) => (x >= 2 && x < 5 && y >= 1 && y < 3) || (x >= 8 && y >= 6)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) assert.equal(copied(x, y), isInside(x, y), `${x},${y}`)
})
