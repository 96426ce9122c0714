import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@sandglass/protocol'
import { FairShare } from './fair-share.ts'

const patientMs = 60_000

/** Work that goes on until it is told to end, and remembers the order in which it began. */
class Bench {
  readonly begun: string[] = []
  readonly #ends = new Map<string, () => void>()

  work(name: string): () => Promise<void> {
    return () => {
      this.begun.push(name)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#ends.set(name, resolve)
      return promise
    }
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await new Promise(setImmediate)
  }
}

test('one key has no more under way than its share, and another begins at once', async () => {
  const share = new FairShare({ perKey: 2, total: 3, waitMs: patientMs })
  const bench = new Bench()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void share.run('a', bench.work(name))
  void share.run('b', bench.work('b1'))
  assert.deepEqual(bench.begun, ['a1', 'a2', 'b1'])
  await bench.end('a1')
  assert.deepEqual(bench.begun, ['a1', 'a2', 'b1', 'a3'])
  for (const name of ['a2', 'a3', 'a4', 'b1']) await bench.end(name)
})

test('keys that wait take turns, however much each of them waits for', async () => {
  const share = new FairShare({ perKey: 1, total: 1, waitMs: patientMs })
  const bench = new Bench()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void share.run('a', bench.work(name))
  for (const name of ['b1', 'b2']) void share.run('b', bench.work(name))
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']) await bench.end(name)
  assert.deepEqual(bench.begun, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
})

test('work that fails gives its place to the next', async () => {
  const share = new FairShare({ perKey: 1, total: 1, waitMs: patientMs })
  const failing = share.run('a', () => Promise.reject(new Error('failed')))
  const next = share.run('a', async () => 'done')
  await assert.rejects(failing, /failed/)
  assert.equal(await next, 'done')
})

test('what waits for too long is refused, and nothing of it was done', async () => {
  const share = new FairShare({ perKey: 1, total: 1, waitMs: 1 })
  const bench = new Bench()
  const first = share.run('a', bench.work('first'))
  await assert.rejects(
    share.run('a', bench.work('second')),
    (error: unknown) => error instanceof ApiError && error.code === 'service.UNAVAILABLE',
  )
  await bench.end('first')
  await first
  assert.deepEqual(bench.begun, ['first'])
})
