import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FreshReads } from './fresh-reads.ts'

test('concurrent callers share a read that started after they asked', async () => {
  const reads = new FreshReads<number>()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let value = 0
  let queries = 0
  const query = async () => {
    queries++
    const seen = value
    await gate
    return seen
  }
  const first = reads.read('key', query)
  value = 1
  const later = [reads.read('key', query), reads.read('key', query), reads.read('key', query)]
  assert.equal(queries, 1)
  open()
  assert.equal(await first, 0)
  assert.deepEqual(await Promise.all(later), [1, 1, 1])
  assert.equal(queries, 2)
})

test('a failed read fails for the callers that share it, and not for later callers', async () => {
  const reads = new FreshReads<string>()
  const outcomes = ['fail', 'fail', 'fine']
  const query = async () => {
    const outcome = outcomes.shift()
    if (outcome === 'fail') throw new Error('lost')
    return outcome ?? ''
  }
  const both = await Promise.allSettled([
    reads.read('k', query),
    reads.read('k', query),
    reads.read('k', query),
  ])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
  assert.equal(await reads.read('k', query), 'fine')
})

test('different keys do not wait for each other', async () => {
  const reads = new FreshReads<string>()
  const stuck = reads.read('a', () => new Promise(() => {}))
  assert.equal(await reads.read('b', async () => 'b'), 'b')
  assert.ok(stuck instanceof Promise)
})
