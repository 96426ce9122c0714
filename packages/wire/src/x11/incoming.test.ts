import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readKeyboardMapping } from './core.ts'
import { type Incoming, IncomingStream } from './incoming.ts'
import { X11Error, X11LimitError } from './x11-error.ts'

/** A connection setup with no vendor, no formats and one screen. */
function setup(): Uint8Array {
  const bytes = new Uint8Array(8 + 72)
  bytes.set([1, 0, 11, 0, 0, 0, 18, 0])
  bytes.set([8, 255], 34)
  return bytes
}

function message(first: number, sequence: number, extraWords = 0): Uint8Array {
  const bytes = new Uint8Array(32 + 4 * extraWords)
  bytes[0] = first
  bytes[2] = sequence
  bytes[4] = first === 1 || first === 35 ? extraWords : 0
  return bytes
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap(piece => [...piece]))
}

const kinds = (messages: readonly Incoming[]) => messages.map(({ kind }) => kind)

test('messages are read correctly however the stream is split', () => {
  const whole = concat([
    setup(),
    message(1, 1, 3),
    message(0, 2),
    message(33, 3),
    message(0x80 | 33, 3),
    message(35, 4, 2),
    message(1, 5),
  ])
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), lengths => {
      const stream = new IncomingStream()
      const messages: Incoming[] = []
      for (let at = 0, i = 0; at < whole.length; i++) {
        const length = lengths[i % lengths.length] ?? 1
        messages.push(...stream.receive(whole.subarray(at, at + length)))
        at += length
      }
      assert.deepEqual(kinds(messages), ['setup', 'reply', 'error', 'event', 'event', 'event', 'reply'])
    }),
  )
})

test('an event sent by another client has the code of the original event', () => {
  const stream = new IncomingStream()
  stream.receive(setup())
  const [event] = stream.receive(message(0x80 | 33, 0))
  assert.equal(event?.kind === 'event' && event.code, 33)
})

test('arbitrary bytes cause no other error than an X11Error', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), chunks => {
      const stream = new IncomingStream()
      try {
        for (const chunk of chunks) stream.receive(chunk)
      } catch (error) {
        assert.ok(error instanceof X11Error)
      }
    }),
  )
})

test('a setup with impossible keycodes is refused', () => {
  for (const keycodes of [
    [0, 255],
    [100, 8],
  ]) {
    const bytes = setup()
    bytes.set(keycodes, 34)
    assert.throws(() => new IncomingStream().receive(bytes), /keycodes from/)
  }
})

test('a keyboard mapping has no more keys than were requested', () => {
  const reply = new Uint8Array(32 + 4 * 60_000)
  reply.set([1, 1])
  assert.equal(readKeyboardMapping(reply, 248).length, 248)
})

test('a message that claims to be very long is refused before any of it is stored', () => {
  const stream = new IncomingStream()
  stream.receive(setup())
  const lie = message(35, 0)
  lie.set([0xff, 0xff, 0xff, 0x3f], 4)
  assert.throws(() => stream.receive(lie), X11LimitError)
})

test('a long message that arrives byte by byte is copied a few times only', () => {
  const stream = new IncomingStream()
  stream.receive(setup())
  const long = message(1, 1)
  long.set([0, 0xff, 0, 0], 4)
  const messages = [...long, ...new Uint8Array(4 * 0xff00)].flatMap(byte =>
    stream.receive(Uint8Array.of(byte)),
  )
  const [reply] = messages
  assert.equal(reply?.kind === 'reply' && reply.bytes.length, 32 + 4 * 0xff00)
})
