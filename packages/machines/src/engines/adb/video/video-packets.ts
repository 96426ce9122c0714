import { MachineError } from '../../../contract/errors.ts'

export interface VideoPacket {
  /** What a decoder must know of the pictures that follow. It comes first, and again when the screen was turned or resized. */
  readonly isConfiguration: boolean
  readonly data: Buffer
}

/** The time of a picture, whose highest bit says that it is none but a configuration, and the length of what follows. */
const headerLength = 12
/** A key picture of the largest screen is smaller. */
const maxBytes = 8 * 1024 * 1024

/**
 * Cuts the stream of a scrcpy server into its packets. It is a stranger's: it throws at the first that is too long, where the
 * library's own reader makes room for whatever length it is told.
 */
export class VideoPackets {
  #held: Buffer[] = []
  #heldLength = 0
  #wanted = headerLength
  #head: Buffer | undefined

  receive(chunk: Buffer): VideoPacket[] {
    this.#held.push(chunk)
    this.#heldLength += chunk.length
    const packets: VideoPacket[] = []
    while (this.#heldLength >= this.#wanted) {
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
    const [first = Buffer.alloc(0), ...more] = this.#held
    const all = more.length === 0 ? first : Buffer.concat(this.#held)
    const rest = all.subarray(length)
    this.#held = [rest]
    this.#heldLength = rest.length
    return all.subarray(0, length)
  }
}
