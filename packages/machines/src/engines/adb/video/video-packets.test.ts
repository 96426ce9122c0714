import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoPacket } from './test-h264.ts'
import { VideoPackets } from './video-packets.ts'

const sent = [
  videoPacket(Buffer.from('parameters'), true),
  videoPacket(Buffer.from('picture')),
  videoPacket(Buffer.of(1)),
]
const whole = Buffer.concat(sent)
const expected = [
  { isConfiguration: true, data: Buffer.from('parameters') },
  { isConfiguration: false, data: Buffer.from('picture') },
  { isConfiguration: false, data: Buffer.of(1) },
]

test('packets are decoded wherever the stream is split', () => {
  for (const size of [1, 2, 11, 12, 13, whole.length]) {
    const packets = new VideoPackets()
    const received = []
    for (let at = 0; at < whole.length; at += size)
      received.push(...packets.receive(whole.subarray(at, at + size)))
    assert.deepEqual(received, expected)
  }
})

test('a key frame is not a configuration', () => {
  const packet = videoPacket(Buffer.from('key'))
  packet.writeUInt8(64, 0)
  assert.deepEqual(new VideoPackets().receive(packet), [{ isConfiguration: false, data: Buffer.from('key') }])
})

test('an oversized or empty packet is refused by its header alone', () => {
  for (const length of [0, 8 * 1024 * 1024 + 1, 0xffffffff]) {
    const head = Buffer.alloc(12)
    head.writeUInt32BE(length, 8)
    assert.throws(
      () => new VideoPackets().receive(head),
      new RegExp(`a packet of its video has ${length} bytes`),
    )
  }
})
