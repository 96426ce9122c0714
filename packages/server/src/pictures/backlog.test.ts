import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Backlog } from './backlog.ts'

test('callers wait while the backlog is full, and one continues for each picture that is done', async () => {
  const backlog = new Backlog(100)
  await backlog.waitForCapacity()
  const works = [60, 60, 60].map((bytes, index) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { done: backlog.during(bytes, () => promise, `other ${index}`), resolve }
  })
  assert.ok(backlog.isFullFor('any'))
  const admitted: number[] = []
  const waiting = [1, 2, 3].map(async number => {
    await backlog.waitForCapacity()
    admitted.push(number)
  })
  const end = async (index: number) => {
    works[index]?.resolve()
    await works[index]?.done
    await setImmediate()
  }
  await setImmediate()
  assert.deepEqual(admitted, [])
  await end(0)
  assert.deepEqual(admitted, [1], 'it is still full, but of less')
  await end(1)
  assert.deepEqual(admitted, [1, 2, 3])
  await end(2)
  await Promise.all(waiting)
})

test('work that fails frees its capacity', async () => {
  const backlog = new Backlog(10)
  await assert.rejects(
    backlog.during(20, () => Promise.reject(new Error('lost'))),
    /lost/,
  )
  assert.ok(!backlog.isFullFor(''))
  await backlog.waitForCapacity()
})

/** Starts work that ends when the returned function is called. */
function begin(backlog: Backlog, tenant: string, bytes: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = backlog.during(bytes, () => promise, tenant)
  return async () => {
    resolve()
    await done
    await setImmediate()
  }
}

test('a tenant that has half of the backlog waits, and others do not', async () => {
  const backlog = new Backlog(100)
  const end = begin(backlog, 'greedy', 60)
  let continued = false
  const waiting = backlog.waitForCapacity('greedy').then(() => {
    continued = true
  })
  await backlog.waitForCapacity('modest')
  await setImmediate()
  assert.equal(continued, false)
  await end()
  await waiting
})

test('while it is full, tenants take turns, however many calls of one of them wait', async () => {
  const backlog = new Backlog(100)
  const ends = Array.from({ length: 10 }, () => begin(backlog, 'greedy', 60))
  const admitted: string[] = []
  const wait = (tenant: string) => backlog.waitForCapacity(tenant).then(() => admitted.push(tenant))
  const waiting = [...Array(20).fill('greedy'), 'modest', 'other'].map(wait)
  for (const end of ends.slice(0, 4)) await end()
  assert.deepEqual(admitted, ['greedy', 'modest', 'other', 'greedy'])
  for (const end of ends.slice(4)) await end()
  await Promise.all(waiting)
})

test('a tenant with too many waiting calls gets a 429, and others still wait', async () => {
  const backlog = new Backlog(100)
  const end = begin(backlog, 'greedy', 200)
  const waiting = Array.from({ length: 100 }, () => backlog.waitForCapacity('greedy'))
  await assert.rejects(backlog.waitForCapacity('greedy'), { code: 'rate.LIMITED', status: 429 })
  waiting.push(backlog.waitForCapacity('modest'))
  await end()
  await Promise.all(waiting)
})
