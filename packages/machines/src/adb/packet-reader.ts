import type { AdbPacketData } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'

export const headLength = 24

/** What a device is told that we take, and a little for what devices add to it. */
const longestPayload = 1024 * 1024 + 4096

/** Cuts what a device sends into packets, however it is split. What comes is a stranger's: it throws at the first that is none. */
export class PacketReader {
  #chunks: Buffer[] = []
  #held = 0
  #wanted = headLength

  receive(chunk: Buffer): AdbPacketData[] {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    const packets: AdbPacketData[] = []
    while (this.#held >= this.#wanted) {
      const bytes = Buffer.concat(this.#chunks)
      this.#wanted = headLength + payloadLength(bytes)
      if (bytes.length >= this.#wanted) {
        packets.push(packet(bytes.subarray(0, this.#wanted)))
        this.#chunks = [bytes.subarray(this.#wanted)]
        this.#held -= this.#wanted
        this.#wanted = headLength
      } else this.#chunks = [bytes]
    }
    return packets
  }
}

/** Every packet says its command twice, once with all bits turned. */
function payloadLength(head: Buffer): number {
  const [command, length, magic] = [head.readUInt32LE(0), head.readUInt32LE(12), head.readUInt32LE(20)]
  if (magic !== (command ^ 0xffffffff) >>> 0)
    throw new MachineError('MACHINE_FAILED', 'The device sent something that is no ADB.')
  if (length > longestPayload)
    throw new MachineError('MACHINE_FAILED', `The device sent a packet of ${length} bytes, more than it may.`)
  return length
}

function packet(bytes: Buffer): AdbPacketData {
  return {
    command: bytes.readUInt32LE(0),
    arg0: bytes.readUInt32LE(4),
    arg1: bytes.readUInt32LE(8),
    payload: bytes.subarray(headLength),
  }
}
