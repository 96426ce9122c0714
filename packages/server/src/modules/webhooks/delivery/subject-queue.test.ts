import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SubjectQueue } from './subject-queue.ts'

const item = (subject: string, n: number) => ({ subject, n })

test('an item is taken only when the one before it of the same subject is done', () => {
  const queue = new SubjectQueue<ReturnType<typeof item>>()
  for (const one of [item('a', 1), item('a', 2), item('b', 3)]) queue.add(one)
  assert.equal(queue.ready, 2)
  assert.deepEqual([queue.take(), queue.take(), queue.take()], [item('a', 1), item('b', 3), undefined])
  queue.done('b')
  queue.add(item('a', 4))
  assert.equal(queue.take(), undefined)
  queue.done('a')
  assert.deepEqual(queue.take(), item('a', 2))
  queue.done('a')
  assert.deepEqual(queue.take(), item('a', 4))
})

test('what was not taken can be removed, and its subjects can be used again', () => {
  const queue = new SubjectQueue<ReturnType<typeof item>>()
  for (const one of [item('a', 1), item('a', 2), item('b', 3)]) queue.add(one)
  queue.take()
  assert.deepEqual(queue.clear(), [item('a', 2), item('b', 3)])
  assert.equal(queue.ready, 0)
  queue.add(item('a', 5))
  assert.equal(queue.take(), undefined)
  queue.done('a')
  assert.deepEqual(queue.take(), item('a', 5))
})
