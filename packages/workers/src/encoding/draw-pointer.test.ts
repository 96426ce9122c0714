import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawPointer } from './draw-pointer.ts'

const width = 4
const height = 3

/** A square of 2x2 pixels: one red, one half transparent green, and two fully transparent. */
const image = {
  width: 2,
  height: 2,
  hotspot: { x: 1, y: 1 },
  rgba: new Uint8Array([255, 0, 0, 255, 0, 255, 0, 128, 9, 9, 9, 0, 9, 9, 9, 0]),
}

function drawnAt(x: number, y: number): Record<string, number[]> {
  const pixels = new Uint8Array(width * height * 4).fill(100)
  drawPointer({ width, height, pixels, pointer: { x, y, image } })
  const changed: Record<string, number[]> = {}
  for (let at = 0; at < pixels.length; at += 4) {
    const rgb = [...pixels.subarray(at, at + 3)]
    if (rgb.some(value => value !== 100)) changed[`${(at / 4) % width},${Math.floor(at / 4 / width)}`] = rgb
  }
  return changed
}

const red = [255, 0, 0]
const half = [50, 178, 50]

test('the pointer is blended in with its hotspot at its position', () => {
  assert.deepEqual(drawnAt(2, 1), { '1,0': red, '2,0': half })
})

test('the part of the pointer beyond an edge is clipped', () => {
  assert.deepEqual(drawnAt(0, 1), { '0,0': half })
  assert.deepEqual(drawnAt(4, 3), { '3,2': red })
  assert.deepEqual(drawnAt(2, 0), {})
  for (const [x, y] of [
    [-50, 1],
    [1, -50],
    [50, 1],
    [1, 50],
  ] as const)
    assert.deepEqual(drawnAt(x, y), {})
})

test('a frame without a pointer image is unchanged', () => {
  const pixels = new Uint8Array(width * height * 4).fill(100)
  drawPointer({ width, height, pixels, pointer: { x: 1, y: 1 } })
  assert.ok(pixels.every(value => value === 100))
})
