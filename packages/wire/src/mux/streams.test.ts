import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '../testing/random.ts'
import { encodeFrame, frameType, MuxError, type MuxStream, maxPayloadBytes, windowBytes } from './index.ts'
import { join, TestSession, u32 } from './testing/session.ts'

const { accept, credit, data, end, reset } = frameType

function opened(count = 1): { session: TestSession; streams: MuxStream[] } {
  const session = new TestSession()
  const streams = Array.from({ length: count }, () => session.open())
  session.sent()
  for (const { number } of streams) session.opener.receive(encodeFrame(accept, number))
  session.events.length = 0
  return { session, streams }
}

function one(): { session: TestSession; stream: MuxStream } {
  const { session, streams } = opened()
  const [stream] = streams
  assert.ok(stream)
  return { session, stream }
}

test('a stream sends as much as it has credit for, and the rest when it is given more', () => {
  const { session, stream } = one()
  const bytes = randomBytes(windowBytes + 1000, 1)
  assert.equal(stream.write(bytes), true)
  assert.throws(() => stream.write(bytes), /Wait until/)
  const first = session.sent()
  assert.deepEqual(session.events, [])
  session.opener.receive(encodeFrame(credit, 1, u32(1000)))
  const second = session.sent()
  assert.deepEqual(session.events, ['written 1'])
  assert.deepEqual(join(...[...first, ...second].map(({ payload }) => payload)), bytes)
  assert.equal(second.length, 1)
  for (const wrong of [0, windowBytes + 1])
    assert.throws(() => one().session.opener.receive(encodeFrame(credit, 1, u32(wrong))), MuxError)
})

test('streams take turns, so that a small piece does not wait for a large one', () => {
  const { session, streams } = opened(3)
  for (const stream of streams) stream.write(new Uint8Array(maxPayloadBytes * 4))
  const order = session.sent(4).map(({ stream }) => stream)
  assert.deepEqual(order, [1, 2, 3, 1])
  const late = session.open()
  session.sent(1)
  session.opener.receive(encodeFrame(accept, late.number))
  late.write(Uint8Array.of(1))
  assert.deepEqual(
    session.sent(4).map(({ stream }) => stream),
    [2, 3, 1, 4],
  )
})

test('control frames are sent before data', () => {
  const { session, streams } = opened(2)
  const [bulk, read] = streams
  bulk?.write(new Uint8Array(windowBytes))
  session.opener.receive(encodeFrame(data, 2, new Uint8Array(maxPayloadBytes)))
  session.opener.receive(encodeFrame(data, 2, new Uint8Array(maxPayloadBytes)))
  session.opener.receive(encodeFrame(data, 2, new Uint8Array(maxPayloadBytes)))
  while (read?.read()) session.sent(0)
  assert.deepEqual(
    session.sent(2).map(({ type, stream }) => [type, stream]),
    [
      [credit, 2],
      [data, 1],
    ],
  )
})

test('reading gives credit, and more than the credit ends the session', () => {
  const { session, stream } = one()
  const frame = encodeFrame(data, 1, new Uint8Array(windowBytes / 16))
  for (let i = 0; i < 16; i++) session.opener.receive(frame)
  assert.equal(session.opener.held, windowBytes)
  assert.deepEqual(session.sent(), [])
  let read = 0
  while (read < windowBytes / 2) read += stream.read()?.length ?? 0
  const given = session.sent().map(({ type, payload }) => [type, new DataView(payload.buffer).getUint32(0)])
  assert.deepEqual(given, [[credit, read]])
  for (let i = 0; i < 8; i++) session.opener.receive(frame)
  assert.throws(() => session.opener.receive(encodeFrame(data, 1, Uint8Array.of(1))), /exceeds the credit/)
})

test('received bytes are kept compactly, and not as views of what arrived', () => {
  const { session, stream } = one()
  const chunk = new Uint8Array(1000)
  for (let i = 0; i < 20_000; i++) {
    chunk.set(encodeFrame(data, 1, Uint8Array.of(i % 251)), 500)
    session.opener.receive(chunk)
  }
  const pieces: Uint8Array[] = []
  for (let piece = stream.read(); piece; piece = stream.read()) pieces.push(piece)
  assert.ok(pieces.length < 10, `${pieces.length}`)
  assert.deepEqual(
    join(...pieces),
    Uint8Array.from({ length: 20_000 }, (_, i) => i % 251),
  )
  assert.ok(pieces.every(({ buffer }) => buffer.byteLength <= 4096))
})

test('each direction ends alone, and a stream is over when both have ended and everything was read', () => {
  const { session, stream } = one()
  stream.write(Uint8Array.of(1, 2))
  stream.end()
  assert.throws(() => stream.write(Uint8Array.of(3)), /after its end/)
  assert.deepEqual(
    session.sent().map(({ type }) => type),
    [data, end],
  )
  session.opener.receive(join(encodeFrame(data, 1, Uint8Array.of(3)), encodeFrame(end, 1)))
  assert.equal(session.opener.openStreams, 1)
  assert.deepEqual(stream.read(), Uint8Array.of(3))
  assert.equal(session.opener.openStreams, 0)
  assert.equal(stream.read(), null)
})

test('a reset loses what was not read, except after the end', () => {
  const lost = one()
  lost.session.opener.receive(join(encodeFrame(data, 1, Uint8Array.of(1)), encodeFrame(reset, 1)))
  assert.deepEqual(lost.session.events, ['readable 1', 'reset 1'])
  assert.equal(lost.session.opener.openStreams, 0)
  assert.equal(lost.stream.read(), null)
  const { session, stream } = one()
  stream.write(new Uint8Array(windowBytes * 2))
  session.sent()
  session.opener.receive(
    join(encodeFrame(data, 1, Uint8Array.of(1)), encodeFrame(end, 1), encodeFrame(reset, 1)),
  )
  assert.deepEqual(session.events, ['readable 1', 'readable 1', 'written 1'])
  assert.equal(stream.write(Uint8Array.of(1)), false, 'nobody wants it, so nothing has to be waited for')
  assert.deepEqual(stream.read(), Uint8Array.of(1))
  assert.equal(stream.read(), null)
  assert.equal(session.opener.openStreams, 0)
})

test('an end that was requested is sent before a reset, so that the other side keeps what it has', () => {
  const { session, stream } = one()
  stream.write(Uint8Array.of(1))
  assert.equal(session.sent().length, 1)
  stream.end()
  stream.reset()
  assert.deepEqual(
    session.sent().map(({ type }) => type),
    [end, reset],
  )
  assert.equal(session.opener.openStreams, 0)
})

test('a stream that is reset before it was requested is never requested', () => {
  const session = new TestSession()
  session.open().reset()
  assert.deepEqual(session.sent(), [])
  assert.equal(session.opener.openStreams, 0)
})
