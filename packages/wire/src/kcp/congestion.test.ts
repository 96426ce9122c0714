import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '../testing/random.ts'
import { LossWindow } from './loss-window.ts'
import { lossless, Network, type NetworkConditions } from './testing/network.ts'

const nothing = { sent: 0, resentFast: 0, timedOut: 0, inFlight: 0, full: true }

test('the loss window grows fast, then slowly, is halved by a fast resend and reset by a timeout', () => {
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

/** Sends two megabytes in simulated time, and returns the throughput and the slowest round trip. */
function send(conditions: Partial<NetworkConditions>, congestionControl: 'none' | 'loss' | 'delay') {
  const windows = { sendWindow: 512, receiveWindow: 512, mtu: 1200 }
  const quick = { noDelay: true, fastResend: 2, granularityMs: 10, maxTimeoutMs: 2000, deadAfter: 1000 }
  const network = new Network({ ...lossless, ...conditions }, { ...windows, ...quick, congestionControl })
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

test('the delay window keeps its throughput at ten percent loss, and the loss window does not', () => {
  const conditions = { loss: 0.1, jitterMs: 15 }
  const delay = send(conditions, 'delay')
  assert.ok(delay.bytesPerMs > 500, `${delay.bytesPerMs} bytes per millisecond`)
  assert.ok(send(conditions, 'loss').bytesPerMs < 100)
})

test('the delay window uses a slow path fully and keeps its queue short', () => {
  const bottleneck = { bytesPerMs: 625, queueBytes: 500_000 }
  const delay = send({ bottleneck }, 'delay')
  assert.ok(delay.bytesPerMs > 300, `${delay.bytesPerMs} of 625 bytes per millisecond`)
  assert.ok(delay.slowestMs < send({ bottleneck }, 'none').slowestMs * 0.7)
})

test('the delay window does not flood a slow path with a short queue', () => {
  const bottleneck = { bytesPerMs: 625, queueBytes: 20_000 }
  const delay = send({ bottleneck }, 'delay')
  assert.ok(delay.bytesPerMs > 200, `${delay.bytesPerMs} of 625 bytes per millisecond`)
  assert.ok(send({ bottleneck }, 'none').bytesPerMs < 100)
})
