import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMoreValuesThan } from './json-values.ts'

test('the values of a JSON text are counted, and the commas and brackets in its strings are not', () => {
  assert.ok(hasMoreValuesThan(99, JSON.stringify(Array(100).fill([]))))
  assert.ok(hasMoreValuesThan(99, JSON.stringify(Object.fromEntries(Array(101).fill(0).entries()))))
  const text = '[{,"\\,[{'.repeat(1000)
  assert.ok(!hasMoreValuesThan(3, JSON.stringify({ text, '[[[[': `${text}\\` })))
  assert.ok(!hasMoreValuesThan(100, JSON.stringify(Array(100).fill(1))))
})
