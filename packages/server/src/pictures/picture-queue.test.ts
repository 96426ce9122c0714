import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueOptionsSymbol } from 'piscina'
import { PictureQueue } from './picture-queue.ts'

const picture = (id: string) => ({ id, [queueOptionsSymbol]: { id } })
const remake = () => ({ id: 'remake', [queueOptionsSymbol]: null })

function queueOf(...ids: string[]): PictureQueue {
  const queue = new PictureQueue()
  for (const id of ids) queue.push(picture(id))
  return queue
}

function drain(queue: PictureQueue): unknown[] {
  const ids: unknown[] = []
  for (let task = queue.shift(); task; task = queue.shift()) ids.push('id' in task && task.id)
  return ids
}

test('pictures that are fetched go before those that are not, each in their order', () => {
  const queue = queueOf('a', 'b', 'c', 'd')
  queue.hurry('c')
  queue.hurry('b')
  queue.hurry('c')
  assert.equal(queue.size, 4)
  assert.deepEqual(drain(queue), ['c', 'b', 'a', 'd'])
  assert.equal(queue.size, 0)
})

test('a picture that is fetched before it is queued goes first too, until it is forgotten', () => {
  const queue = queueOf('a')
  queue.hurry('late')
  queue.push(picture('late'))
  assert.deepEqual(drain(queue), ['late', 'a'])
  queue.forget('late')
  queue.push(picture('a'))
  queue.push(picture('late'))
  assert.deepEqual(drain(queue), ['a', 'late'])
})

test('a format that somebody waits for goes first, and what is removed never comes', () => {
  const queue = queueOf('a', 'b')
  const [gone, made] = [picture('gone'), remake()]
  queue.push(gone)
  queue.push(made)
  queue.remove(gone)
  assert.deepEqual(drain(queue), ['remake', 'a', 'b'])
})
