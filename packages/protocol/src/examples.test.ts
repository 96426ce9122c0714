import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as protocol from './index.ts'
import { type Operation, placeholders } from './index.ts'

const operations = Object.values<unknown>(protocol).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'access' in value && 'path' in value,
)
const examples = operations.flatMap(operation =>
  (operation.examples ?? []).map(example => ({ operation, example, text: JSON.stringify(example) })),
)

test('every operation that takes a body or needs a query has an example', () => {
  for (const { id, body, query, accepts, examples: own = [] } of operations)
    if (body || accepts || (query && !query.safeParse({}).success)) assert.ok(own.length > 0, id)
})

test('every example has the form that its operation accepts', () => {
  for (const { operation, example } of examples) {
    const { id, body, query, accepts } = operation
    if (body) assert.ok(body.safeParse(example.body).success, id)
    else
      assert.ok(example.body === undefined || (accepts === 'bytes' && typeof example.body === 'string'), id)
    if (query) assert.ok(query.safeParse(example.query ?? {}).success, id)
    else assert.equal(example.query, undefined, id)
  }
})

test('several examples of an operation have different titles', () => {
  for (const { id, examples: own = [] } of operations.filter(({ examples: some = [] }) => some.length > 1))
    assert.equal(new Set(own.map(({ title }) => title).filter(Boolean)).size, own.length, id)
})

test('no example sends anything to anybody: it names no host, and uploads no screenshot', () => {
  for (const { operation, text } of examples) {
    assert.doesNotMatch(text, /https?:|:\/\/|www\.|screenShotPutUrl/i, operation.id)
    for (const [address] of text.matchAll(/\b\d+\.\d+\.\d+\.\d+\b/g))
      assert.equal(address, '127.0.0.1', operation.id)
  }
})

test('every placeholder in a path or an example is explained', () => {
  const texts = [...operations.map(({ path }) => path), ...examples.map(({ text }) => text)]
  const used = new Set(texts.flatMap(text => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))
  assert.deepEqual(
    [...used].filter(name => !placeholders[name]),
    [],
  )
  assert.deepEqual(
    Object.keys(placeholders).filter(name => !used.has(name)),
    [],
  )
})
