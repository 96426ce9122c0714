import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReceiveWindow } from './receive-window.ts'
import { RoundTrip } from './round-trip.ts'
import { SendQueue } from './send-queue.ts'
import { SendWindow } from './send-window.ts'

const last = 0xffffffff
const one = Uint8Array.of(1)
const policy = { noDelay: true, fastResend: 2, lostMs: 0, timeoutMs: 100, maxTimeoutMs: 400 }

test('segments are reordered correctly when sequence numbers wrap around', () => {
  const window = new ReceiveWindow(4, last)
  assert.equal(window.accept(1, Uint8Array.of(3)), 'new')
  assert.equal(window.accept(0, Uint8Array.of(2)), 'new')
  assert.equal(window.read(), undefined)
  assert.equal(window.accept(last, one), 'new')
  assert.deepEqual(
    [window.read(), window.read(), window.read()].map(data => data?.[0]),
    [1, 2, 3],
  )
  assert.equal(window.next, 2)
  assert.equal(window.accept(last, one), 'past')
  assert.equal(window.accept(6, one), 'beyond')
})

test('unread and early segments together are at most twice the window', () => {
  const window = new ReceiveWindow(4)
  for (let sequence = 0; sequence < 100; sequence++) window.accept(sequence, one)
  assert.equal(window.free, 0)
  assert.equal(window.held, 8)
})

test('empty segments are accepted in order and take no space', () => {
  const window = new ReceiveWindow(4)
  for (let sequence = 0; sequence < 100; sequence++)
    assert.equal(window.accept(sequence, new Uint8Array(0)), 'new')
  assert.equal(window.held, 0)
  assert.equal(window.next, 100)
})

test('acknowledgements are counted correctly when sequence numbers wrap around', () => {
  const window = new SendWindow(last - 1)
  for (let i = 0; i < 4; i++) window.add(one)
  assert.equal(window.span, 4)
  assert.equal(window.acknowledgedBefore(last - 5), 0)
  assert.equal(window.acknowledgedBefore(0), 2)
  assert.equal(window.acknowledged(1), true)
  assert.equal(window.acknowledged(1), false)
  assert.equal(window.span, 2)
  assert.equal(window.acknowledgedBefore(2), 1)
  assert.equal(window.span, 0)
})

test('a timeout grows by half each time, up to its maximum', () => {
  const window = new SendWindow()
  window.add(one)
  const waits: number[] = []
  for (let now = 0; waits.length < 6; ) {
    const { nextAt } = window.transmit(now, policy, () => {})
    waits.push(nextAt - now)
    now = nextAt
  }
  assert.deepEqual(waits, [100, 150, 225, 337.5, 400, 400])
})

test('a resent segment is not overtaken by segments that were sent before it', () => {
  const window = new SendWindow()
  for (let i = 0; i < 5; i++) window.add(one)
  window.transmit(0, policy, () => {})
  for (const sequence of [1, 2]) {
    window.acknowledged(sequence)
    window.overtake(sequence, 0)
  }
  assert.equal(window.transmit(50, policy, () => {}).resentFast, 1)
  for (const sequence of [3, 4]) {
    window.acknowledged(sequence)
    window.overtake(sequence, 0)
  }
  assert.equal(window.transmit(60, policy, () => {}).resentFast, 0)
})

test('an overtaken segment is resent once it is not merely late', () => {
  const window = new SendWindow()
  for (let i = 0; i < 3; i++) window.add(one)
  const patient = { ...policy, lostMs: 60 }
  window.transmit(0, patient, () => {})
  for (const sequence of [1, 2]) {
    window.acknowledged(sequence)
    window.overtake(sequence, 0)
  }
  const early = window.transmit(50, patient, () => {})
  assert.equal(early.resentFast, 0)
  assert.equal(early.nextAt, 60)
  assert.equal(window.transmit(60, patient, () => {}).resentFast, 1)
})

test('small writes share a segment, and no more is accepted than fits', () => {
  const queue = new SendQueue(10, 2)
  for (let i = 0; i < 7; i++) assert.equal(queue.write(Uint8Array.of(i)), 1)
  assert.equal(queue.segments, 1)
  assert.equal(queue.writableBytes, 13)
  assert.equal(queue.write(new Uint8Array(50)), 13)
  assert.equal(queue.write(one), 0)
  assert.deepEqual(queue.shift(), Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 0, 0, 0))
  assert.equal(queue.writableBytes, 10)
})

test('the timeout follows the round-trip time and its variation, within limits', () => {
  const roundTrip = new RoundTrip({ granularityMs: 10, minTimeoutMs: 30, maxTimeoutMs: 5000 })
  assert.equal(roundTrip.timeoutMs, 200)
  roundTrip.sample(100)
  assert.equal(roundTrip.timeoutMs, 300)
  for (let i = 0; i < 100; i++) roundTrip.sample(100)
  assert.equal(Math.round(roundTrip.timeoutMs), 110)
  for (let i = 0; i < 100; i++) roundTrip.sample(0)
  assert.equal(roundTrip.timeoutMs, 30)
  roundTrip.sample(2 ** 31)
  assert.equal(roundTrip.timeoutMs, 5000)
})
