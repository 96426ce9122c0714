import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedMutex } from './keyed-mutex.ts'

/** Work that records its start and ends when the test resolves or rejects it. */
function gate(began: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const work = () => {
    began.push(name)
    return promise
  }
  return { work, resolve, reject }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('work on the same key runs in order, and work on different keys runs concurrently', async () => {
  const began: string[] = []
  const first = gate(began, 'first')
  const second = gate(began, 'second')
  const other = gate(began, 'other')
  const mutex = new KeyedMutex()
  const done = [mutex.run('a', first.work), mutex.run('a', second.work), mutex.run('b', other.work)]
  await turn()
  assert.deepEqual(began, ['first', 'other'])
  first.resolve()
  await done[0]
  await turn()
  assert.deepEqual(began, ['first', 'other', 'second'])
  second.resolve()
  other.resolve()
  await Promise.all(done)
})

test('work that fails does not block the next in the queue', async () => {
  const mutex = new KeyedMutex()
  const failed = mutex.run('a', () => Promise.reject(new Error('broken')))
  const next = mutex.run('a', async () => 'done')
  await assert.rejects(failed, /broken/)
  assert.equal(await next, 'done')
})

test('work whose caller aborted while it was queued never starts', async () => {
  const began: string[] = []
  const first = gate(began, 'first')
  const second = gate(began, 'second')
  const mutex = new KeyedMutex()
  const stop = new AbortController()
  const held = mutex.run('a', first.work)
  const left = mutex.run('a', second.work, stop.signal)
  stop.abort(new Error('went away'))
  first.resolve()
  await held
  await assert.rejects(left, /went away/)
  assert.deepEqual(began, ['first'])
})

test('callers beyond the limit for one key are rejected, and callers for other keys are not', async () => {
  const mutex = new KeyedMutex({ maxWaiting: 1, tooMany: () => new Error('full') })
  const { work, resolve } = gate([], 'held')
  const held = [mutex.run('a', work), mutex.run('a', async () => {})]
  await assert.rejects(
    mutex.run('a', async () => {}),
    /full/,
  )
  await mutex.run('b', async () => {})
  resolve()
  await Promise.all(held)
  await mutex.run('a', async () => {})
})
