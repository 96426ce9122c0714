import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SandglassError } from '@sandglass/client'
import { Tally } from './tally.ts'

const failing = (code: string, status: number) =>
  Promise.reject(new SandglassError('It did not work.', { code, status, requestId: 'r1' }))

test('a refusal is a failure unless the host is full or a fault is under way, and a 500 always is one', async () => {
  let isFault = false
  const tally = new Tally(() => isFault)
  assert.equal(await tally.of('read', Promise.resolve(7)), 7)
  await assert.rejects(tally.of('create', failing('machine.NO_CAPACITY', 503)))
  await assert.rejects(tally.of('create', failing('service.UNAVAILABLE', 503)))
  isFault = true
  await assert.rejects(tally.of('create', failing('service.UNAVAILABLE', 503)))
  await assert.rejects(tally.of('create', failing('service.INTERNAL', 500)))
  tally.wrong('create', 'is not there')
  assert.deepEqual(
    [...tally.counts],
    [
      ['read', { done: 1, refused: 0, failed: 0 }],
      ['create', { done: 0, refused: 3, failed: 2 }],
    ],
  )
  assert.deepEqual(
    tally.failures.map(({ text }) => text),
    ['It did not work. (service.UNAVAILABLE, request r1)', 'It did not work. (service.INTERNAL, request r1)'],
  )
})

test('a call that began during a fault may fail after it', async () => {
  let isFault = true
  const tally = new Tally(() => isFault)
  const call = Promise.withResolvers<void>()
  const counted = tally.of('read', call.promise)
  isFault = false
  call.reject(new Error('the connection broke'))
  await assert.rejects(counted)
  assert.equal(tally.failed, 0)
})
