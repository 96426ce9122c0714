import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clock, type ScheduledTask, TimerQueue } from './timer-queue.ts'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

test('tasks run in the order of their times with a single timer, which ends with the last task', async () => {
  const timerQueue = new TimerQueue()
  const before = timers()
  const ran: number[] = []
  const start = clock()
  await new Promise<void>(done => {
    for (const place of [3, 1, 2]) {
      const task: ScheduledTask = {
        runDue() {
          ran.push(place)
          timerQueue.remove(task)
          if (ran.length === 3) done()
          return Number.POSITIVE_INFINITY
        },
      }
      timerQueue.at(task, start + 20 * place)
    }
    assert.equal(timers(), before + 1)
  })
  assert.deepEqual(ran, [1, 2, 3])
  assert.equal(timers(), before)
  assert.equal(timerQueue.size, 0)
})

test('a task that was requested several times runs once', async () => {
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
