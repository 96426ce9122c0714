import { headerBytes, type Segment, writeSegment } from './segment.ts'

/**
 * Packs as many segments as fit into each datagram. Every datagram has its own buffer, so that it can be sent later.
 */
export class Packer {
  readonly #conv: number
  readonly #mtu: number
  readonly #send: (datagram: Uint8Array) => void
  #buffer: Uint8Array | undefined
  #length = 0

  constructor(conv: number, mtu: number, send: (datagram: Uint8Array) => void) {
    this.#conv = conv
    this.#mtu = mtu
    this.#send = send
  }

  add(segment: Segment): void {
    if (this.#length + headerBytes + segment.data.length > this.#mtu) this.flush()
    this.#buffer ??= new Uint8Array(this.#mtu)
    this.#length = writeSegment(this.#buffer, this.#length, this.#conv, segment)
  }

  /** Sends the datagram that is not full yet. */
  flush(): void {
    if (!this.#buffer) return
    const datagram = this.#buffer.subarray(0, this.#length)
    this.#buffer = undefined
    this.#length = 0
    this.#send(datagram)
  }
}
