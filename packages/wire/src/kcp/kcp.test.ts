import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '../testing/random.ts'
import { Kcp } from './kcp.ts'
import { lossless, Network } from './testing/network.ts'

const quick = {
  noDelay: true,
  fastResend: 2,
  congestionControl: 'none',
  granularityMs: 10,
  sendWindow: 128,
} as const
const storm = { delayMs: 40, jitterMs: 30, loss: 0.1, duplication: 0.1 }

function exchange(network: Network, bytes: number): void {
  const [one, other] = network.ends
  const there = randomBytes(bytes, 1)
  const back = randomBytes(bytes, 2)
  one.unwritten = there
  other.unwritten = back
  assert.ok(network.run(() => [one, other].every(({ kcp, unwritten }) => !unwritten.length && kcp.settled)))
  network.run(() => false, 500)
  assert.deepEqual(other.received, there)
  assert.deepEqual(one.received, back)
}

test('without loss, bytes arrive complete and in order, and are sent once', () => {
  const network = new Network(lossless, quick)
  exchange(network, 100_000)
  const segments = Math.ceil(100_000 / 1376)
  assert.ok(network.sent < 2 * (segments + 30), `${network.sent} datagrams for ${2 * segments} segments`)
})

for (const [name, options] of Object.entries({ quick, 'protocol defaults': {} }))
  for (const seed of [1, 2, 3])
    test(`bytes arrive complete and in order despite loss, reordering and duplicates: ${name}, seed ${seed}`, () => {
      exchange(new Network({ ...storm, seed }, options), 200_000)
    })

test('bytes arrive even if half of all datagrams are lost', () => {
  exchange(new Network({ ...storm, loss: 0.5, seed: 4 }, { ...quick, maxTimeoutMs: 500 }), 50_000)
})

test('a lost segment is resent before its timeout if later ones were acknowledged', () => {
  const sent: Uint8Array[] = []
  const kcp = new Kcp({ conv: 7, ...quick, send: datagram => sent.push(datagram) })
  const peer = new Kcp({ conv: 7, ...quick, send: datagram => answers.push(datagram) })
  const answers: Uint8Array[] = []
  for (const [i, byte] of [1, 2, 3].entries()) {
    kcp.write(Uint8Array.of(byte))
    kcp.flush(i)
  }
  const [lost, ...later] = sent.splice(0)
  for (const datagram of later) {
    peer.receive(datagram, 10)
    peer.flush(10)
  }
  for (const answer of answers) kcp.receive(answer, 20)
  const resentAt = kcp.flush(20)
  assert.ok(resentAt < 25)
  kcp.flush(resentAt)
  assert.deepEqual(sent[0]?.subarray(24), lost?.subarray(24))
})

test('a reader that stops closes the window, and the writer continues when it reads again', () => {
  const network = new Network(lossless, { ...quick, receiveWindow: 8, sendQueue: 4 })
  const [writer, reader] = network.ends
  const bytes = randomBytes(400_000, 3)
  writer.unwritten = bytes
  reader.awake = false
  network.run(() => false, 20_000)
  assert.ok(writer.unwritten.length > 0 && writer.kcp.writableBytes < 1376)
  assert.ok(reader.kcp.held <= 16)
  reader.awake = true
  reader.act(network.now)
  assert.ok(network.run(() => writer.kcp.settled && writer.unwritten.length === 0))
  assert.deepEqual(reader.received, bytes)
})

test('a window that opened is probed if the update was lost', () => {
  const network = new Network(lossless, { ...quick, receiveWindow: 4 })
  const [writer, reader] = network.ends
  writer.unwritten = randomBytes(50_000, 5)
  reader.awake = false
  network.run(() => false, 5000)
  reader.awake = true
  network.cut = true
  reader.act(network.now)
  network.cut = false
  assert.ok(network.run(() => writer.kcp.settled && writer.unwritten.length === 0))
})

test('a peer that is gone is reported as dead, and nothing more is sent to it', () => {
  const network = new Network({ ...lossless, loss: 1 }, { ...quick, deadAfter: 5 })
  const [one] = network.ends
  one.unwritten = Uint8Array.of(1)
  assert.ok(network.run(() => one.kcp.dead))
  const { sent } = network
  assert.equal(one.kcp.flush(network.now + 10_000), Number.POSITIVE_INFINITY)
  assert.equal(network.sent, sent)
})

test('an idle conversation schedules nothing and sends nothing', () => {
  const network = new Network(lossless, quick)
  exchange(network, 10)
  const { sent } = network
  assert.equal(
    network.run(() => false, 1_000_000),
    false,
  )
  assert.equal(network.sent, sent)
})

test('a peer responds to a probe', () => {
  const network = new Network(lossless, quick)
  const [one, other] = network.ends
  one.kcp.probe()
  one.kcp.flush(network.now)
  network.run(() => false, 1000)
  assert.equal(network.sent, 2)
  assert.equal(other.kcp.held, 0)
})
