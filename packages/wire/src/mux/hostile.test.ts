import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes, seeded } from '../testing/random.ts'
import { helloOf } from './greeting.ts'
import { encodeFrame, frameType, MuxError, maxFrameBytes, maxPayloadBytes, windowBytes } from './index.ts'
import { join, TestSession, u32 } from './testing/session.ts'

const { accept, credit, data, end, refuse, reset } = frameType
const streamCount = 4

/** What an honest acceptor sends after the answer, when the opener has requested a few streams. */
const honestFrames = [
  encodeFrame(accept, 1),
  encodeFrame(data, 1, randomBytes(100, 1)),
  encodeFrame(accept, 2),
  encodeFrame(refuse, 3, randomBytes(20, 2)),
  encodeFrame(data, 2, randomBytes(700, 3)),
  new Uint8Array(9),
  encodeFrame(end, 1),
  encodeFrame(data, 2, randomBytes(300, 4)),
  encodeFrame(accept, 4),
  encodeFrame(reset, 2),
  encodeFrame(end, 4),
]
const honest = join(...honestFrames)

/** Runs a session with what the other side sends, and returns it and the error with which it ended. */
function run(chunks: Iterable<Uint8Array>, isReady = true): { session: TestSession; error: unknown } {
  const session = new TestSession({ isReady })
  const streams = Array.from({ length: streamCount }, () => session.open())
  session.sent()
  let sent = 0
  let error: unknown
  for (const chunk of chunks) {
    try {
      session.opener.receive(chunk)
    } catch (thrown) {
      if (!(thrown instanceof MuxError)) throw thrown
      error = thrown
    }
    sent += session.sent().reduce((sum, { payload }) => sum + payload.length, 0)
    for (const stream of streams) if (!error) trySend(() => stream.write(new Uint8Array(1000)))
    assert.ok(session.opener.held <= streamCount * windowBytes)
    assert.ok(session.opener.openStreams <= streamCount)
  }
  // Windows and credit for what the session sent limit it, whatever arrives.
  assert.ok(sent <= streamCount * (2 * windowBytes + maxFrameBytes))
  return { session, error }
}

/** The opener writes whenever it can. That it cannot now is an error of the caller, which is expected here. */
function trySend(write: () => unknown): void {
  try {
    write()
  } catch (error) {
    assert.match(String(error), /Wait until the last piece/)
  }
}

function* cutAnywhere(bytes: Uint8Array, next: () => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + Math.floor(next() ** 4 * 4000)
    yield bytes.subarray(at, at + length)
    at += length
  }
}

function mutated(next: () => number): Uint8Array {
  let bytes = join(honest, encodeFrame(credit, 4, u32(500)))
  for (let edits = 1 + Math.floor(next() * 4); edits > 0; edits--) {
    const at = Math.floor(next() * bytes.length)
    const added = randomBytes(Math.floor(next() ** 2 * 12), Math.floor(next() * 1e9))
    const from = Math.floor(next() * bytes.length)
    const copied = next() < 0.3 ? bytes.slice(from, from + Math.floor(next() * 400)) : added
    bytes = join(bytes.subarray(0, at), copied, bytes.subarray(at + Math.floor(next() * 9)))
  }
  return bytes
}

/** Valid frames in an order that may not be, with others between them. */
function shuffled(next: () => number): Uint8Array {
  const whole = (limit: number) => Math.floor(next() * limit)
  const frames = [...honestFrames]
  const lengths: readonly number[] = [0, 17, 3, 0, 9, 1 + whole(500), 4, 0, 0, 8, 8]
  for (let added = 1 + whole(5); added > 0; added--) {
    const type = 1 + whole(10)
    const stream = [1, 9, 10].includes(type) ? 0 : 1 + whole(streamCount + 1)
    frames.splice(
      whole(frames.length),
      0,
      encodeFrame(type, stream, randomBytes(lengths[type] ?? 0, whole(1e9))),
    )
  }
  frames.splice(whole(frames.length), 0, ...frames.splice(whole(frames.length), 1))
  return join(...frames)
}

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))

test(`a session that is mutated anywhere causes no other error than a MuxError (SEED=${seed})`, () => {
  const next = seeded(seed)
  let errors = 0
  for (let round = 0; round < 1500; round++)
    errors += run(cutAnywhere(mutated(next), next)).error === undefined ? 0 : 1
  assert.ok(errors > 150, 'mutations are noticed')
})

test(`valid frames in a wrong order cause no other error than a MuxError (SEED=${seed})`, () => {
  const next = seeded(seed)
  const errors = new Set<string>()
  for (let round = 0; round < 1500; round++) errors.add(String(run(cutAnywhere(shuffled(next), next)).error))
  assert.ok(errors.size > 10, 'violations are noticed')
})

test(`random bytes cause no other error than a MuxError (SEED=${seed})`, () => {
  const next = seeded(seed)
  for (let round = 0; round < 1000; round++) {
    const noise = randomBytes(Math.floor(next() ** 3 * 5000), Math.floor(next() * 1e9))
    // Types that exist, so that more than the first byte of noise matters.
    for (let i = 0; i < noise.length; i += 1 + Math.floor(next() * 20)) noise[i] = Math.floor(next() * 12)
    run(cutAnywhere(noise, next), next() < 0.8)
  }
})

test('a session that is cut off at any byte is no error, and can continue', () => {
  for (let cut = 0; cut <= honest.length; cut++) {
    assert.equal(run([honest.subarray(0, cut)]).error, undefined)
    const { session, error } = run([honest.subarray(0, cut), honest.subarray(cut)])
    assert.equal(error, undefined)
    assert.equal(session.events.filter(event => event.startsWith('accepted')).length, 3)
  }
})

test('a session that is cut off at any byte and begins anew ends with a MuxError', () => {
  const again = join(new Uint8Array(maxFrameBytes), helloOf(new Uint8Array(16)))
  for (let cut = 0; cut <= honest.length; cut++)
    assert.ok(run([honest.subarray(0, cut), again]).error instanceof MuxError, `cut at ${cut}`)
})

test('a sender without credit is stopped after a window, however small its frames are', () => {
  for (const size of [1, 1000, maxPayloadBytes]) {
    const frames = Array(Math.ceil(30_000 / size)).fill(encodeFrame(data, 1, new Uint8Array(size)))
    const chunk = join(...frames)
    const flood = [encodeFrame(accept, 1), ...Array(10).fill(chunk)]
    assert.match(String(run(flood).error), /exceeds the credit/)
  }
})
