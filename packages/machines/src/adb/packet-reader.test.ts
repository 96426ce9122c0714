import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { AdbCommand } from '@yume-chan/adb'
import fc from 'fast-check'
import { MachineError } from '../contract/errors.ts'
import { PacketReader } from './packet-reader.ts'
import { encodePacket } from './packets.ts'

const packet = (payload: Uint8Array) => ({
  command: AdbCommand.Write,
  arg0: 7,
  arg1: 9,
  checksum: 0,
  magic: AdbCommand.Write ^ 0xffffffff,
  payload,
})

test('packets are decoded wherever the stream is split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 60 })),
      fc.array(fc.integer({ min: 1, max: 50 })),
      (payloads, cuts) => {
        const whole = Buffer.concat(payloads.map(payload => encodePacket(packet(payload))))
        const reader = new PacketReader()
        const got = []
        let at = 0
        for (const cut of [...cuts, whole.length]) {
          got.push(...reader.receive(whole.subarray(at, at + cut)))
          at += cut
        }
        assert.deepEqual(
          got.map(({ payload }) => new Uint8Array(payload)),
          payloads,
        )
      },
    ),
  )
})

test('a malformed header, or a packet above the agreed size, is refused as soon as its header has arrived', () => {
  const huge = encodePacket(packet(new Uint8Array(0)))
  huge.writeUInt32LE(0x7fffffff, 12)
  for (const bytes of [Buffer.from('HTTP/1.1 400 Bad Request'), huge])
    assert.throws(() => new PacketReader().receive(bytes), MachineError)
})

test('a packet that arrives byte by byte is not copied for every byte', () => {
  const whole = encodePacket(packet(new Uint8Array(300_000)))
  const reader = new PacketReader()
  const got = Array.from(whole, byte => reader.receive(Buffer.of(byte))).flat()
  assert.equal(got.length, 1)
})

test('a chunk of many small packets is not copied for each of them', () => {
  const small = encodePacket(packet(new Uint8Array(0)))
  const chunk = Buffer.alloc(20_000 * small.length, small)
  const copied = mock.method(Buffer, 'concat')
  try {
    assert.equal(new PacketReader().receive(chunk).length, 20_000)
    assert.equal(copied.mock.callCount(), 0)
  } finally {
    copied.mock.restore()
  }
})
