import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '../testing/random.ts'
import { helloOf } from './greeting.ts'
import { encodeFrame, frameType, MuxError, maxFrameBytes, maxStreams } from './index.ts'
import { join, nonce, TestSession } from './testing/session.ts'

const { accept, data, end, hello, open, ping, pong, refuse, reset } = frameType

test('the opener greets with more zeros than two frames are long, and sends nothing else before the answer', () => {
  const session = new TestSession({ isReady: false })
  session.open()
  const greeting = session.opener.next()
  assert.deepEqual(greeting, join(new Uint8Array(2 * maxFrameBytes), helloOf(nonce)))
  assert.equal(session.opener.next(), undefined)
  session.opener.receive(helloOf(nonce))
  assert.deepEqual(session.events, ['ready'])
  assert.equal(session.sent()[0]?.type, open)
})

test('the opener finds the answer after stale bytes, however it arrives', () => {
  const stale = [
    new Uint8Array(0),
    randomBytes(3000, 4),
    encodeFrame(data, 5, new Uint8Array(1000)).subarray(0, 500),
    join(helloOf(new Uint8Array(16)), helloOf(nonce).subarray(0, 20)),
    encodeFrame(data, 5, new Uint8Array(500).fill(hello)),
  ]
  const after = encodeFrame(pong, 0, new Uint8Array(8))
  for (const before of stale) {
    const bytes = join(before, helloOf(nonce))
    for (let cut = 0; cut <= bytes.length; cut++) {
      const session = new TestSession({ isReady: false })
      session.opener.receive(bytes.subarray(0, cut))
      session.opener.receive(bytes.subarray(cut))
      assert.deepEqual(session.events, ['ready'])
    }
    // What follows is read as frames.
    const session = new TestSession({ isReady: false })
    assert.throws(() => session.opener.receive(join(bytes, after)), /PONG without a PING/)
  }
})

test('the opener searches only so much for the answer', () => {
  const session = new TestSession({ isReady: false, maxStaleBytes: 10_000 })
  session.opener.receive(new Uint8Array(10_000))
  assert.throws(() => session.opener.receive(new Uint8Array(1)), MuxError)
  assert.throws(() => session.opener.receive(helloOf(nonce)), MuxError)
})

test('another version and another HELLO end the session', () => {
  const session = new TestSession({ isReady: false })
  assert.throws(() => session.opener.receive(helloOf(nonce, 2)), /speaks version 2/)
  const running = new TestSession()
  assert.throws(() => running.opener.receive(helloOf(new Uint8Array(16))), /started over/)
})

test('a target is accepted or refused', () => {
  const session = new TestSession()
  session.open('agent')
  session.open('rfb')
  const names = session.sent().map(({ stream, payload }) => [stream, new TextDecoder().decode(payload)])
  assert.deepEqual(names, [
    [1, 'agent'],
    [2, 'rfb'],
  ])
  const reason = new TextEncoder().encode('not here\u{1b}[2J')
  session.opener.receive(join(encodeFrame(refuse, 2, reason), encodeFrame(accept, 1)))
  assert.deepEqual(session.events, ['refused: not here\u{fffd}[2J 2', 'accepted 1'])
  assert.equal(session.opener.openStreams, 1)
  for (const target of ['', 'A', 'a b', 'x'.repeat(65)]) assert.throws(() => session.open(target), RangeError)
})

test('there are at most 1024 streams, and a number is not used again', () => {
  const session = new TestSession()
  const streams = Array.from({ length: maxStreams }, () => session.open())
  assert.throws(() => session.open(), /1024 streams are open/)
  session.sent()
  streams[0]?.reset()
  assert.throws(() => session.open(), /1024 streams are open/, 'a reset that was not sent still counts')
  assert.deepEqual(
    session.sent().map(({ type, stream }) => [type, stream]),
    [[reset, 1]],
  )
  assert.equal(session.open().number, maxStreams + 1)
})

test('what arrives for a stream that has ended is ignored, and for one that never was is an error', () => {
  const session = new TestSession()
  const stream = session.open()
  session.sent()
  stream.reset()
  session.opener.receive(join(encodeFrame(accept, 1), encodeFrame(data, 1, randomBytes(10, 1))))
  session.sent()
  session.opener.receive(join(encodeFrame(data, 1, randomBytes(10, 1)), encodeFrame(end, 1)))
  assert.deepEqual(session.events, [])
  for (const number of [2, 3]) {
    const running = new TestSession()
    running.open()
    running.sent()
    running.open()
    assert.throws(() => running.opener.receive(encodeFrame(accept, number)), MuxError)
  }
})

test('what only the other side may send, or not yet, ends the session', () => {
  const frames = [
    encodeFrame(open, 2, Uint8Array.of(97)),
    encodeFrame(ping, 0, new Uint8Array(8)),
    encodeFrame(pong, 0, new Uint8Array(8)),
    encodeFrame(data, 1, Uint8Array.of(1)),
    encodeFrame(end, 1),
    encodeFrame(reset, 1),
    join(encodeFrame(accept, 1), encodeFrame(accept, 1)),
    join(encodeFrame(accept, 1), encodeFrame(refuse, 1)),
    join(encodeFrame(accept, 1), encodeFrame(end, 1), encodeFrame(end, 1)),
    join(encodeFrame(accept, 1), encodeFrame(end, 1), encodeFrame(data, 1, Uint8Array.of(1))),
  ]
  for (const bytes of frames) {
    const session = new TestSession()
    session.open()
    session.sent()
    assert.throws(() => session.opener.receive(bytes), MuxError)
    assert.equal(session.opener.next(), undefined)
  }
})

test('a ping is answered with the same bytes, one at a time', () => {
  const session = new TestSession()
  let pongs = 0
  for (let i = 0; i < 3; i++) {
    session.opener.ping(() => pongs++)
    assert.throws(() => session.opener.ping(() => {}), /last ping/)
    const [asked] = session.sent()
    assert.equal(asked?.type, ping)
    session.opener.receive(encodeFrame(pong, 0, asked?.payload))
  }
  assert.equal(pongs, 3)
})
