import { AdbCommand, type AdbPacketData } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'

/** How much a device may send on one stream before we say that we have it. */
export const windowBytes = 8 * 1024 * 1024

interface Stream {
  unsaid: number
  close?: AdbPacketData
}

/**
 * What a device has sent on each of its streams that we did not yet take. The library drops what still waits for its reader
 * when the end of a stream comes, and keeps whatever is sent; so an end waits here until all before it was taken, and a
 * device that sends more than it may is cut off.
 */
export class Flow {
  readonly #streams = new Map<number, Stream>()

  /** Whether a packet is passed on now. */
  received(packet: AdbPacketData): boolean {
    const { command, arg1: id, payload } = packet
    if (command === AdbCommand.Write) {
      const stream = this.#streams.get(id) ?? { unsaid: 0 }
      stream.unsaid += payload.length
      if (stream.unsaid > windowBytes)
        throw new MachineError('MACHINE_FAILED', 'The device sent more than it was told that it may.')
      this.#streams.set(id, stream)
    }
    const stream = this.#streams.get(id)
    if (command !== AdbCommand.Close || !stream) return true
    stream.close = packet
    return false
  }

  /** The end of a stream that may be passed on, now that this was said. */
  sent({ command, arg0: id, payload }: AdbPacketData): AdbPacketData | undefined {
    const stream = this.#streams.get(id)
    if (!stream || (command !== AdbCommand.Okay && command !== AdbCommand.Close)) return undefined
    // Without a number, or with our own end of the stream, nothing is left to wait for.
    const taken =
      command === AdbCommand.Okay && payload.length === 4 ? Buffer.from(payload).readUInt32LE(0) : Infinity
    stream.unsaid -= Math.min(stream.unsaid, taken)
    if (stream.unsaid === 0) this.#streams.delete(id)
    return stream.unsaid === 0 ? stream.close : undefined
  }
}
