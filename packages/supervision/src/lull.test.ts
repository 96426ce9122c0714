import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Lull } from './lull.ts'

test('what can wait begins at once while nothing is under way', () => new Lull().wait(1e9))

test('what can wait begins when the last of what is under way has ended, also if that failed', async () => {
  const lull = new Lull()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const failing = lull.during(() => first.promise)
  const other = lull.during(() => second.promise)
  let isOver = false
  const waiting = lull.wait(1e9).then(() => {
    isOver = true
  })
  first.reject(new Error('it failed'))
  await assert.rejects(failing, /it failed/)
  await setImmediate()
  assert.equal(isOver, false)
  second.resolve()
  await Promise.all([other, waiting])
  await lull.wait(1e9)
})

test('what can wait begins after a while, whatever is under way', async context => {
  mock.timers.enable({ apis: ['setTimeout'] })
  context.after(() => mock.timers.reset())
  const lull = new Lull()
  const end = Promise.withResolvers<void>()
  const work = lull.during(() => end.promise)
  const waiting = lull.wait(2000)
  mock.timers.tick(2000)
  await waiting
  end.resolve()
  await work
})
