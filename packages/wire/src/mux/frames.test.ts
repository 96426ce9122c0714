import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomBytes } from '../testing/random.ts'
import { encodeFrame, FrameReader, frameType, MuxError, maxFrameBytes, maxPayloadBytes } from './index.ts'
import { join, u32 } from './testing/session.ts'

const frames = [
  { type: frameType.open, stream: 1, payload: new TextEncoder().encode('agent') },
  { type: frameType.data, stream: 0xffff_fffe, payload: randomBytes(300, 1) },
  { type: frameType.end, stream: 0x8000_0000, payload: new Uint8Array(0) },
  { type: frameType.credit, stream: 2, payload: u32(70_000) },
  { type: frameType.ping, stream: 0, payload: randomBytes(8, 2) },
]
const encoded = frames.map(({ type, stream, payload }) => encodeFrame(type, stream, payload))
const whole = join(Uint8Array.of(0), ...encoded.flatMap(frame => [frame, new Uint8Array(3)]))

function read(...chunks: readonly Uint8Array[]) {
  const reader = new FrameReader()
  return chunks.flatMap(chunk => [
    ...reader.receive(chunk).map(({ type, stream, payload }) => ({ type, stream, payload: payload.slice() })),
  ])
}

test('frames are read however they arrive, and zeros between them are skipped', () => {
  assert.deepEqual(read(whole), frames)
  for (let cut = 0; cut <= whole.length; cut++)
    assert.deepEqual(read(whole.subarray(0, cut), whole.subarray(cut)), frames)
  assert.deepEqual(read(...Array.from(whole, byte => Uint8Array.of(byte))), frames)
})

test('the largest frame is 32 KiB long', () => {
  const payload = randomBytes(maxPayloadBytes, 3)
  const frame = encodeFrame(frameType.data, 9, payload)
  assert.equal(frame.length, maxFrameBytes)
  assert.deepEqual(read(frame.subarray(0, 20_000), frame.subarray(20_000)), [
    { type: frameType.data, stream: 9, payload },
  ])
})

test('a header that no frame has is refused before anything of the payload is kept', () => {
  const bad = [
    encodeFrame(11, 1),
    encodeFrame(255, 0),
    encodeFrame(frameType.data, 1),
    encodeFrame(frameType.data, 1, new Uint8Array(maxPayloadBytes + 1)),
    encodeFrame(frameType.data, 0, new Uint8Array(1)),
    encodeFrame(frameType.end, 1, new Uint8Array(1)),
    encodeFrame(frameType.credit, 1, new Uint8Array(3)),
    encodeFrame(frameType.hello, 0, new Uint8Array(16)),
    encodeFrame(frameType.hello, 1, new Uint8Array(17)),
    encodeFrame(frameType.refuse, 1, new Uint8Array(201)),
  ]
  for (const frame of bad) assert.throws(() => read(frame.subarray(0, 7)), MuxError)
})

test('a frame that was cut off anywhere and completed with zeros is not delivered', () => {
  const frame = encodeFrame(frameType.data, 1, new Uint8Array(40).fill(9))
  for (let cut = 1; cut < frame.length; cut++)
    assert.throws(() => read(frame.subarray(0, cut), new Uint8Array(maxFrameBytes)), MuxError)
})
