import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicFit, qwen3, qwen25, resized, uiTars15 } from './resize.ts'

test('sides are rounded to the merged patch of the processor', () => {
  assert.deepEqual(resized({ width: 1920, height: 1080 }, qwen25), { width: 1932, height: 1092 })
  assert.deepEqual(resized({ width: 1920, height: 1080 }, uiTars15), { width: 1932, height: 1092 })
  assert.deepEqual(resized({ width: 1920, height: 1080 }, qwen3), { width: 1920, height: 1088 })
})

test('a half is rounded to even, as in Python', () => {
  assert.deepEqual(resized({ width: 28 * 20.5, height: 28 * 21.5 }, qwen25), { width: 560, height: 616 })
})

test('an image that is too large is shrunk, and one that is too small is enlarged', () => {
  const large = resized({ width: 8000, height: 4000 }, qwen25)
  assert.ok(large.width * large.height <= 16384 * 28 * 28 && large.width % 28 === 0)
  const small = resized({ width: 60, height: 60 }, uiTars15)
  assert.ok(small.width * small.height >= 100 * 28 * 28 && small.height % 28 === 0)
})

test('an image for the Anthropic API stays within the maximum side and area', () => {
  assert.deepEqual(resized({ width: 1024, height: 768 }, anthropicFit), { width: 1024, height: 768 })
  const { width, height } = resized({ width: 3840, height: 1080 }, anthropicFit)
  assert.deepEqual([width, height], [1568, 441])
})

test('without a rule the size does not change', () => {
  assert.deepEqual(resized({ width: 123, height: 45 }, { rule: 'none' }), { width: 123, height: 45 })
})
