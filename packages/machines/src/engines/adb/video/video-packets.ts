import { MachineError } from '../../../contract/errors.ts'

export interface VideoPacket {
  /**
   * Whether this is the configuration of the decoder. It comes first, and again after the screen was rotated or
   * resized.
   */
  readonly isConfiguration: boolean
  readonly data: Buffer
}

/** A timestamp, whose highest bit marks a configuration, and the length of the data. */
const headerLength = 12
/** A key frame of the largest screen is smaller. */
const maxBytes = 8 * 1024 * 1024

/**
 * Splits the stream of a scrcpy server into packets. The device is not trusted: an oversized packet throws, whereas
 * the library's reader allocates whatever length is declared.
 */
export class VideoPackets {
  #chunks: Buffer[] = []
  #length = 0
  #wanted = headerLength
  #head: Buffer | undefined

  receive(chunk: Buffer): VideoPacket[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const packets: VideoPacket[] = []
    while (this.#length >= this.#wanted) {
      const bytes = this.#take(this.#wanted)
      if (this.#head) {
        packets.push({ isConfiguration: this.#head.readUInt8(0) >= 128, data: bytes })
        this.#head = undefined
        this.#wanted = headerLength
      } else {
        this.#head = bytes
        this.#wanted = bytes.readUInt32BE(8)
        if (this.#wanted < 1 || this.#wanted > maxBytes)
          throw new MachineError('MACHINE_FAILED', `a packet of its video has ${this.#wanted} bytes`)
      }
    }
    return packets
  }

  #take(length: number): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#chunks
    const all = more.length === 0 ? first : Buffer.concat(this.#chunks)
    const rest = all.subarray(length)
    this.#chunks = [rest]
    this.#length = rest.length
    return all.subarray(0, length)
  }
}
