import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RepeatedWork } from './repeated-work.ts'

test('requests while the work is being done lead to one more round', async () => {
  let rounds = 0
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const work = new RepeatedWork(async () => {
    rounds++
    begin()
    await gate
    return false
  })
  work.request()
  await begun
  for (let i = 0; i < 3; i++) work.request()
  open()
  await work.settled()
  assert.equal(rounds, 2)
  work.request()
  await work.settled()
  assert.equal(rounds, 3)
})

test('the work is repeated as long as it says so', async () => {
  let left = 3
  const work = new RepeatedWork(async () => --left > 0)
  work.request()
  await work.settled()
  assert.equal(left, 0)
})
