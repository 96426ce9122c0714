import { AdbCommand, type AdbPacketData } from '@yume-chan/adb'
import { MachineError } from '../contract/errors.ts'

/** The flow control window: how many bytes a device may send on one stream before we acknowledge them. */
export const windowBytes = 8 * 1024 * 1024

/**
 * How many packets a device may send on one stream before we acknowledge them. Even an empty packet takes memory until
 * then.
 */
export const windowPackets = 65_536

interface Stream {
  unacknowledged: number
  /** How many packets were not acknowledged; each acknowledgement is for one. */
  packets: number
  close?: AdbPacketData
}

/**
 * Tracks the bytes that a device has sent on each stream and that we have not acknowledged. The ADB library discards
 * unread data when a stream is closed, and buffers whatever is sent; so a close is held back until everything before
 * it was acknowledged, and a device that exceeds the window is disconnected.
 */
export class FlowControl {
  readonly #streams = new Map<number, Stream>()

  /** Returns whether the packet may be passed on now; a close is held back while data is unacknowledged. */
  received(packet: AdbPacketData): boolean {
    const { command, arg1: id, payload } = packet
    if (command === AdbCommand.Write) {
      const stream = this.#streams.get(id) ?? { unacknowledged: 0, packets: 0 }
      stream.unacknowledged += payload.length
      stream.packets++
      if (stream.unacknowledged > windowBytes || stream.packets > windowPackets)
        throw new MachineError('MACHINE_FAILED', 'The device exceeded the flow control window.')
      this.#streams.set(id, stream)
    }
    const stream = this.#streams.get(id)
    if (command !== AdbCommand.Close || !stream) return true
    stream.close = packet
    return false
  }

  /**
   * Records a packet that we sent. Returns the close that was held back if everything before it is now acknowledged.
   */
  sent({ command, arg0: id, payload }: AdbPacketData): AdbPacketData | undefined {
    const stream = this.#streams.get(id)
    if (!stream || (command !== AdbCommand.Okay && command !== AdbCommand.Close)) return undefined
    // An acknowledgement without a byte count, or a close from our side, acknowledges everything.
    const taken =
      command === AdbCommand.Okay && payload.length === 4 ? Buffer.from(payload).readUInt32LE(0) : Infinity
    stream.unacknowledged -= Math.min(stream.unacknowledged, taken)
    stream.packets--
    if (stream.unacknowledged === 0) this.#streams.delete(id)
    return stream.unacknowledged === 0 ? stream.close : undefined
  }
}
