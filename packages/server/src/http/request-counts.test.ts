import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestCounts } from './request-counts.ts'

const key = { kind: 'apiKey', id: 'a' } as const

test('a window of one minute starts with the first request', () => {
  const counts = new RequestCounts()
  assert.deepEqual(counts.count(key, 1000), { count: 1, endsAt: 61_000 })
  assert.equal(counts.count(key, 60_999).count, 2)
  assert.deepEqual(counts.count(key, 61_000), { count: 1, endsAt: 121_000 })
})

test('callers with the same id but different kinds are counted separately', () => {
  const counts = new RequestCounts()
  counts.count(key, 0)
  assert.equal(counts.count({ kind: 'user', id: 'a' }, 0).count, 1)
  assert.equal(counts.count(key, 0).count, 2)
})

test('if there are too many callers, the one whose window ends first is evicted', () => {
  const counts = new RequestCounts()
  counts.count(key, 0)
  for (let caller = 0; caller < 50_000; caller++) counts.count({ kind: 'apiKey', id: `${caller}` }, 1)
  assert.equal(counts.count({ kind: 'apiKey', id: '49999' }, 2).count, 2)
  assert.equal(counts.count(key, 2).count, 1)
})
