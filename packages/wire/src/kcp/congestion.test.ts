import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '../testing/random.ts'
import { LossWindow } from './loss-window.ts'
import { calm, Network, type Weather } from './testing/network.ts'

const nothing = { sent: 0, resentFast: 0, timedOut: 0, inFlight: 0, full: true }

test('the congestion window of KCP opens fast, then slowly, is halved by a fast resend and closed by a timeout', () => {
  const window = new LossWindow(2)
  window.acknowledged(1, 100)
  assert.equal(window.segments, 2)
  window.acknowledged(2, 100)
  assert.equal(window.segments, 3)
  window.acknowledged(1000, 20)
  assert.equal(window.segments, 20)
  window.flushed({ ...nothing, resentFast: 1, inFlight: 20 })
  assert.equal(window.segments, 12)
  window.flushed({ ...nothing, timedOut: 1 })
  assert.equal(window.segments, 1)
  window.acknowledged(5, 100)
  assert.equal(window.segments, 6)
})

/** Sends two megabytes, in the time of the network, and says how that went. */
function send(weather: Partial<Weather>, congestionControl: 'none' | 'loss' | 'delay') {
  const windows = { sendWindow: 512, receiveWindow: 512, mtu: 1200 }
  const quick = { noDelay: true, fastResend: 2, granularityMs: 10, maxTimeoutMs: 2000, deadAfter: 1000 }
  const network = new Network({ ...calm, ...weather }, { ...windows, ...quick, congestionControl })
  const [one, other] = network.ends
  const bytes = randomBytes(2_000_000, 1)
  one.unwritten = bytes
  const start = network.now
  const done = () => one.kcp.settled && one.unwritten.length === 0
  let slowestMs = 0
  assert.ok(
    network.run(() => {
      slowestMs = Math.max(slowestMs, one.kcp.roundTripMs ?? 0)
      return done()
    }),
  )
  assert.deepEqual(other.received, bytes)
  return { bytesPerMs: bytes.length / (network.now - start), slowestMs }
}

test('the window of delay keeps the flow where a tenth is lost, and KCP’s own does not', () => {
  const weather = { loss: 0.1, jitterMs: 15 }
  const delay = send(weather, 'delay')
  assert.ok(delay.bytesPerMs > 500, `${delay.bytesPerMs} bytes a millisecond`)
  assert.ok(send(weather, 'loss').bytesPerMs < 100)
})

test('the window of delay uses a slow path, and keeps its queue short', () => {
  const bottleneck = { bytesPerMs: 625, queueBytes: 500_000 }
  const delay = send({ bottleneck }, 'delay')
  assert.ok(delay.bytesPerMs > 300, `${delay.bytesPerMs} of 625 bytes a millisecond`)
  assert.ok(delay.slowestMs < send({ bottleneck }, 'none').slowestMs * 0.7)
})

test('the window of delay does not flood a slow path that has no room for a queue', () => {
  const bottleneck = { bytesPerMs: 625, queueBytes: 20_000 }
  const delay = send({ bottleneck }, 'delay')
  assert.ok(delay.bytesPerMs > 200, `${delay.bytesPerMs} of 625 bytes a millisecond`)
  assert.ok(send({ bottleneck }, 'none').bytesPerMs < 100)
})
