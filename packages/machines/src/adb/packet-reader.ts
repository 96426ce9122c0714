import type { AdbPacketData } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'

export const headerLength = 24

/** The max payload that we announce to devices, with a margin for what some devices add to it. */
const maxPayload = 1024 * 1024 + 4096

/**
 * Splits the bytes that a device sends into packets. The device is not trusted: the first malformed packet throws.
 */
export class PacketReader {
  #chunks: Buffer[] = []
  #buffer = 0
  #wanted = headerLength

  receive(chunk: Buffer): AdbPacketData[] {
    this.#chunks.push(chunk)
    this.#buffer += chunk.length
    const packets: AdbPacketData[] = []
    while (this.#buffer >= this.#wanted) {
      // A chunk of many small packets is not copied for each of them.
      const [first = Buffer.alloc(0), ...more] = this.#chunks
      const bytes = more.length === 0 ? first : Buffer.concat(this.#chunks)
      this.#wanted = headerLength + payloadLength(bytes)
      if (bytes.length >= this.#wanted) {
        packets.push(packet(bytes.subarray(0, this.#wanted)))
        this.#chunks = [bytes.subarray(this.#wanted)]
        this.#buffer -= this.#wanted
        this.#wanted = headerLength
      } else this.#chunks = [bytes]
    }
    return packets
  }
}

/** Validates a header. `magic` must be the bitwise complement of the command. */
function payloadLength(head: Buffer): number {
  const [command, length, magic] = [head.readUInt32LE(0), head.readUInt32LE(12), head.readUInt32LE(20)]
  if (magic !== (command ^ 0xffffffff) >>> 0)
    throw new MachineError('MACHINE_FAILED', 'The device sent something that is not ADB.')
  if (length > maxPayload)
    throw new MachineError(
      'MACHINE_FAILED',
      `The device sent a packet of ${length} bytes, which is more than ADB allows.`,
    )
  return length
}

function packet(bytes: Buffer): AdbPacketData {
  return {
    command: bytes.readUInt32LE(0),
    arg0: bytes.readUInt32LE(4),
    arg1: bytes.readUInt32LE(8),
    payload: bytes.subarray(headerLength),
  }
}
