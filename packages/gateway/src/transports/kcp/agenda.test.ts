import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agenda, type Appointment, clock } from './agenda.ts'

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

test('appointments are kept in the order of their times, by one timer, and none is left when they are done', async () => {
  const agenda = new Agenda()
  const before = timers()
  const kept: number[] = []
  await new Promise<void>(done => {
    for (const place of [3, 1, 2]) {
      const appointment: Appointment = {
        keep() {
          kept.push(place)
          agenda.remove(appointment)
          if (kept.length === 3) done()
          return Number.POSITIVE_INFINITY
        },
      }
      agenda.at(appointment, clock() + 20 * place)
    }
    assert.equal(timers(), before + 1)
  })
  assert.deepEqual(kept, [1, 2, 3])
  assert.equal(timers(), before)
  assert.equal(agenda.size, 0)
})

test('what is asked for soon is done once, however often it was asked for', async () => {
  const agenda = new Agenda()
  let times = 0
  const appointment = {
    keep() {
      times++
      return Number.POSITIVE_INFINITY
    },
  }
  agenda.at(appointment, Number.POSITIVE_INFINITY)
  for (let i = 0; i < 5; i++) agenda.soon(appointment)
  await new Promise(done => setImmediate(done))
  assert.equal(times, 1)
  agenda.soon(appointment)
  agenda.remove(appointment)
  await new Promise(done => setImmediate(done))
  assert.equal(times, 1)
})
