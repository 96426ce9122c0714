import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EncoderTurns } from './encoder-turns.ts'

/** Pictures that are encoded until the test ends them, in the order in which they began. */
class Trial {
  readonly began: string[] = []
  readonly #turns: EncoderTurns
  readonly #ends = new Map<string, () => void>()

  constructor(threads: number) {
    this.#turns = new EncoderTurns(threads)
  }

  take(...ids: string[]): void {
    for (const id of ids)
      void this.#turns.during(id, () => {
        this.began.push(id)
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

test('pictures that are fetched go before those that are not, each in their order', async () => {
  const trial = new Trial(1)
  trial.take('a', 'b', 'c', 'd')
  trial.fetch('d', 'c', 'd')
  for (const id of ['a', 'd', 'c', 'b']) {
    await setImmediate()
    await trial.end(id)
  }
  assert.deepEqual(trial.began, ['a', 'd', 'c', 'b'])
})

test('a picture that is fetched before it waits goes first too', async () => {
  const trial = new Trial(1)
  trial.fetch('late')
  trial.take('a', 'b', 'late')
  await setImmediate()
  await trial.end('a')
  assert.deepEqual(trial.began, ['a', 'late'])
})

test('pictures that nobody fetches leave a thread to those that somebody does', async () => {
  const trial = new Trial(3)
  trial.take('a', 'b', 'c', 'd')
  await setImmediate()
  assert.deepEqual(trial.began, ['a', 'b'])
  trial.fetch('d')
  await setImmediate()
  assert.deepEqual(trial.began, ['a', 'b', 'd'])
  await trial.end('d')
  assert.deepEqual(trial.began, ['a', 'b', 'd'], 'the thread stays free')
  await trial.end('a')
  assert.deepEqual(trial.began, ['a', 'b', 'd', 'c'])
})

test('a picture that fails gives its turn to the next', async () => {
  const turns = new EncoderTurns(1)
  const failed = turns.during('a', () => Promise.reject(new Error('broken')))
  const next = turns.during('b', async () => 'done')
  await assert.rejects(failed, /broken/)
  assert.equal(await next, 'done')
})
