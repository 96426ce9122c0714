import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { slopeOf } from './slope.ts'

const random = seeded(4780)
const line = (slope: number, noise: number) =>
  Array.from({ length: 60 }, (_, at) => ({ atMs: at * 1000, value: slope * at * 1000 + noise * random() }))

test('the slope of a line is found, whatever single outliers say', () => {
  const points = line(0.5, 0).map((point, at) => (at % 10 === 3 ? { ...point, value: 1e9 } : point))
  const { slope, low, high } = slopeOf(points)
  assert.ok(Math.abs(slope - 0.5) < 0.01, String(slope))
  assert.ok(low <= slope && slope <= high)
})

test('growth is certain if it exceeds the noise, and uncertain if there is none', () => {
  assert.ok(slopeOf(line(0.01, 100)).low > 0)
  const { low, high } = slopeOf(line(0, 100))
  assert.ok(low <= 0 && high >= 0)
})

test('a single point has no slope', () => {
  assert.deepEqual(slopeOf([{ atMs: 0, value: 1 }]), { slope: 0, low: 0, high: 0 })
})
