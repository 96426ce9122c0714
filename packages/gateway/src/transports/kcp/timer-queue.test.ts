import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clock, type ScheduledTask, TimerQueue } from './timer-queue.ts'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

test('appointments are kept in the order of their times, by one timer, and none is left when they are done', async () => {
  const timerQueue = new TimerQueue()
  const before = timers()
  const kept: number[] = []
  await new Promise<void>(done => {
    for (const place of [3, 1, 2]) {
      const task: ScheduledTask = {
        runDue() {
          kept.push(place)
          timerQueue.remove(task)
          if (kept.length === 3) done()
          return Number.POSITIVE_INFINITY
        },
      }
      timerQueue.at(task, clock() + 20 * place)
    }
    assert.equal(timers(), before + 1)
  })
  assert.deepEqual(kept, [1, 2, 3])
  assert.equal(timers(), before)
  assert.equal(timerQueue.size, 0)
})

test('what is asked for soon is done once, however often it was asked for', async () => {
  const timerQueue = new TimerQueue()
  let times = 0
  const task = {
    runDue() {
      times++
      return Number.POSITIVE_INFINITY
    },
  }
  timerQueue.at(task, Number.POSITIVE_INFINITY)
  for (let i = 0; i < 5; i++) timerQueue.soon(task)
  await new Promise(done => setImmediate(done))
  assert.equal(times, 1)
  timerQueue.soon(task)
  timerQueue.remove(task)
  await new Promise(done => setImmediate(done))
  assert.equal(times, 1)
})
