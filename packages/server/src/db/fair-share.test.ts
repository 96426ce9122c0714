import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@sandglass/protocol'
import { FairShare } from './fair-share.ts'

const longWaitMs = 60_000

/** Creates work that runs until the test ends it, and records the order in which it started. */
class ManualWork {
  readonly started: string[] = []
  readonly #ends = new Map<string, () => void>()

  work(name: string): () => Promise<void> {
    return () => {
      this.started.push(name)
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

test('one key runs no more work than its share, and another key starts at once', async () => {
  const share = new FairShare({ perKey: 2, total: 3, waitMs: longWaitMs })
  const manual = new ManualWork()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void share.run('a', manual.work(name))
  void share.run('b', manual.work('b1'))
  assert.deepEqual(manual.started, ['a1', 'a2', 'b1'])
  await manual.end('a1')
  assert.deepEqual(manual.started, ['a1', 'a2', 'b1', 'a3'])
  for (const name of ['a2', 'a3', 'a4', 'b1']) await manual.end(name)
})

test('waiting keys take turns, however much work each of them has queued', async () => {
  const share = new FairShare({ perKey: 1, total: 1, waitMs: longWaitMs })
  const manual = new ManualWork()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void share.run('a', manual.work(name))
  for (const name of ['b1', 'b2']) void share.run('b', manual.work(name))
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']) await manual.end(name)
  assert.deepEqual(manual.started, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
})

test('work that fails makes way for the next in the queue', async () => {
  const share = new FairShare({ perKey: 1, total: 1, waitMs: longWaitMs })
  const failing = share.run('a', () => Promise.reject(new Error('failed')))
  const next = share.run('a', async () => 'done')
  await assert.rejects(failing, /failed/)
  assert.equal(await next, 'done')
})

test('work that waits too long is refused and never started', async () => {
  const share = new FairShare({ perKey: 1, total: 1, waitMs: 1 })
  const manual = new ManualWork()
  const first = share.run('a', manual.work('first'))
  await assert.rejects(
    share.run('a', manual.work('second')),
    (error: unknown) => error instanceof ApiError && error.code === 'service.UNAVAILABLE',
  )
  await manual.end('first')
  await first
  assert.deepEqual(manual.started, ['first'])
})

test('without a time limit, work waits as long as it has to', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const share = new FairShare({ perKey: 1, total: 1 })
  const manual = new ManualWork()
  const first = share.run('a', manual.work('first'))
  const second = share.run('a', manual.work('second'))
  t.mock.timers.tick(3_600_000)
  await manual.end('first')
  assert.deepEqual(manual.started, ['first', 'second'])
  await manual.end('second')
  await Promise.all([first, second])
})
