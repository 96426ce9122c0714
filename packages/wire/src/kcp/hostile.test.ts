import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { randomBytes } from '../testing/random.ts'
import { Kcp } from './kcp.ts'
import { KcpError } from './kcp-error.ts'
import { writeSegment } from './segment.ts'
import { Network } from './testing/network.ts'

const conv = 0xfedcba98
const receiveWindow = 16

/** Segments as an attacker may forge them: well-formed, with arbitrary content. */
const segment = fc.record({
  command: fc.constantFrom(81, 82, 83, 84),
  window: fc.nat(0xffff),
  timestamp: fc.nat(0xffffffff),
  sequence: fc.oneof(fc.nat(40), fc.nat(0xffffffff)),
  unacknowledged: fc.oneof(fc.nat(10), fc.nat(0xffffffff)),
  data: fc.uint8Array({ maxLength: 40 }),
})
const wellFormed = fc.array(segment, { minLength: 1, maxLength: 20 }).map(segments => {
  const datagram = new Uint8Array(20 * 64)
  let at = 0
  for (const each of segments) at = writeSegment(datagram, at, conv, each)
  return datagram.subarray(0, at)
})
const edited = fc
  .tuple(wellFormed, fc.nat(), fc.nat(255), fc.nat(30))
  .map(([datagram, place, value, cut]) => {
    const changed = datagram.slice(0, Math.max(0, datagram.length - cut))
    if (changed.length > 0) changed[place % changed.length] = value
    return changed
  })
const anything = fc.oneof(wellFormed, edited, fc.uint8Array({ maxLength: 200 }))

test('arbitrary datagrams cause no other error than a KcpError and do not use more memory', () => {
  fc.assert(
    fc.property(fc.array(anything, { minLength: 1, maxLength: 60 }), datagrams => {
      let sentBytes = 0
      const kcp = new Kcp({
        conv,
        receiveWindow,
        sendWindow: 8,
        send: datagram => (sentBytes += datagram.length),
      })
      kcp.write(new Uint8Array(5000))
      for (const [now, datagram] of datagrams.entries()) {
        try {
          kcp.receive(datagram, now)
        } catch (error) {
          if (!(error instanceof KcpError)) throw error
        }
        assert.ok(kcp.held <= 4 * receiveWindow)
        if (now % 7 === 0) assert.ok(kcp.flush(now) >= now)
      }
      assert.ok(sentBytes < 100_000)
    }),
    { numRuns: 2000 },
  )
})

test('a rejected datagram does not change the session', () => {
  const network = new Network({ seed: 1, delayMs: 20, jitterMs: 0, loss: 0, duplication: 0 })
  const [one, other] = network.ends
  const bytes = randomBytes(20_000, 1)
  one.unwritten = bytes
  const push = {
    command: 81,
    window: 128,
    timestamp: 0,
    sequence: 0,
    unacknowledged: 0,
    data: Uint8Array.of(1),
  } as const
  const bad = [
    new Uint8Array(0),
    new Uint8Array(23),
    datagramOf(8, push),
    datagramOf(7, push).fill(80, 4, 5),
    datagramOf(7, push).fill(255, 20, 24),
    datagramOf(7, push).subarray(0, 24),
    datagramOf(7, { ...push, data: new Uint8Array(1501) }),
    datagramOf(7, { ...push, unacknowledged: 1 }),
    Uint8Array.of(...datagramOf(7, push), 1),
  ]
  for (const datagram of bad) assert.throws(() => other.kcp.receive(datagram, network.now), KcpError)
  assert.equal(other.kcp.held, 0)
  assert.ok(network.run(() => one.kcp.settled && one.unwritten.length === 0))
  assert.deepEqual(other.received, bytes)
})

test('receive reports whether a datagram made progress', () => {
  const kcp = new Kcp({ conv: 7, send: () => {} })
  const push = {
    command: 81,
    window: 128,
    timestamp: 0,
    sequence: 0,
    unacknowledged: 0,
    data: Uint8Array.of(1),
  } as const
  assert.equal(kcp.receive(datagramOf(7, push), 0), true)
  assert.equal(kcp.receive(datagramOf(7, push), 0), false)
  assert.equal(kcp.receive(datagramOf(7, { ...push, sequence: 1000 }), 0), false)
  assert.equal(kcp.receive(datagramOf(7, { ...push, command: 83, data: new Uint8Array(0) }), 0), false)
  assert.equal(kcp.receive(datagramOf(7, { ...push, window: 5 }), 0), true)
})

function datagramOf(id: number, segment: Parameters<typeof writeSegment>[3]): Uint8Array {
  const datagram = new Uint8Array(24 + segment.data.length)
  writeSegment(datagram, 0, id, segment)
  return datagram
}
