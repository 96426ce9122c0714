import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EncoderTurns } from './encoder-turns.ts'

/** Encodes pictures until the test ends them, and records the order in which they started. */
class ManualEncoding {
  readonly started: string[] = []
  readonly #turns: EncoderTurns
  readonly #ends = new Map<string, () => void>()

  constructor(threads: number) {
    this.#turns = new EncoderTurns(threads)
  }

  /** The tenant comes after a dash in the id. */
  take(...ids: string[]): void {
    for (const id of ids)
      void this.#turns.during({ id, tenant: id.split('-')[1] ?? '' }, () => {
        this.started.push(id)
        return new Promise<void>(resolve => this.#ends.set(id, resolve))
      })
  }

  fetch(...ids: string[]): void {
    for (const id of ids) this.#turns.prioritize(id)
  }

  async end(id: string): Promise<void> {
    this.#ends.get(id)?.()
    await setImmediate()
  }
}

test('pictures that are being fetched are encoded before the others, each in their order', async () => {
  const manual = new ManualEncoding(1)
  manual.take('a', 'b', 'c', 'd')
  manual.fetch('d', 'c', 'd')
  for (const id of ['a', 'd', 'c', 'b']) {
    await setImmediate()
    await manual.end(id)
  }
  assert.deepEqual(manual.started, ['a', 'd', 'c', 'b'])
})

test('a picture that is fetched before it is queued goes first too', async () => {
  const manual = new ManualEncoding(1)
  manual.fetch('late')
  manual.take('a', 'b', 'late')
  await setImmediate()
  await manual.end('a')
  assert.deepEqual(manual.started, ['a', 'late'])
})

test('pictures that nobody fetches leave one thread free for those that somebody does', async () => {
  const manual = new ManualEncoding(3)
  manual.take('a', 'b', 'c', 'd')
  await setImmediate()
  assert.deepEqual(manual.started, ['a', 'b'])
  manual.fetch('d')
  await setImmediate()
  assert.deepEqual(manual.started, ['a', 'b', 'd'])
  await manual.end('d')
  assert.deepEqual(manual.started, ['a', 'b', 'd'], 'the thread stays free')
  await manual.end('a')
  assert.deepEqual(manual.started, ['a', 'b', 'd', 'c'])
})

test('a picture that fails makes way for the next in the queue', async () => {
  const turns = new EncoderTurns(1)
  const failed = turns.during({ id: 'a', tenant: '' }, () => Promise.reject(new Error('broken')))
  const next = turns.during({ id: 'b', tenant: '' }, async () => 'done')
  await assert.rejects(failed, /broken/)
  assert.equal(await next, 'done')
})

for (const isFetched of [false, true])
  test(`tenants take turns among pictures that ${isFetched ? 'somebody fetches' : 'nobody fetches'}`, async () => {
    const manual = new ManualEncoding(1)
    manual.take('first')
    const ids = ['1-greedy', '2-greedy', '3-greedy', '4-greedy', '1-modest', '2-modest']
    if (isFetched) manual.fetch(...ids)
    manual.take(...ids)
    const order = ['first', '1-greedy', '1-modest', '2-greedy', '2-modest', '3-greedy', '4-greedy']
    for (const id of order) {
      await setImmediate()
      await manual.end(id)
    }
    assert.deepEqual(manual.started, order)
  })
