import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Backlog } from './backlog.ts'

test('callers wait while the backlog is full, and one continues for each picture that is done', async () => {
  const backlog = new Backlog(100)
  await backlog.waitForCapacity()
  const works = [60, 60, 60].map(bytes => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { done: backlog.during(bytes, () => promise), resolve }
  })
  assert.ok(backlog.isFull)
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
  assert.ok(!backlog.isFull)
  await backlog.waitForCapacity()
})
