import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMoreValues } from './json-values.ts'

test('values, names and nestings are counted, and what is in strings is not', () => {
  const text = JSON.stringify({ name: ',:[{"\\', list: [1, [], {}] })
  assert.equal(hasMoreValues(text, 9), false)
  assert.equal(hasMoreValues(text, 8), true)
})

test('a text that is not JSON is counted as well', () => {
  for (const text of ['', '"', '"\\', '\\"', '"a\\"'])
    assert.equal(hasMoreValues(text, 0), false, JSON.stringify(text))
  assert.equal(hasMoreValues('[[[', 2), true)
})
