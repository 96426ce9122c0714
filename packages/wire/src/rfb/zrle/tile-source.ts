const hostIsLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/**
 * Inflated bytes, read from the front. Past the end everything reads as zero and `short` is true: the values read are
 * then invalid, and the tile must be read again once there is more.
 */
export class TileSource {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get used(): number {
    return this.#at
  }

  get short(): boolean {
    return this.#at > this.#bytes.length
  }

  /** Whether `length` bytes are available; if not, the source becomes short. */
  has(length: number): boolean {
    if (this.#at + length <= this.#bytes.length) return true
    this.#at = this.#bytes.length + 1
    return false
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0
  }

  /** A CPIXEL, which is R, G and B in this client's pixel format (RFC 6143, 7.7.5), as a framebuffer word. */
  colour(): number {
    const [red, green, blue] = [this.byte(), this.byte(), this.byte()]
    return hostIsLittleEndian
      ? red | (green << 8) | (blue << 16)
      : ((red << 24) | (green << 16) | (blue << 8)) >>> 0
  }

  palette(size: number): Uint32Array {
    return Uint32Array.from({ length: size }, () => this.colour())
  }

  /**
   * One more than the sum of all bytes up to the first that is not 255. Stops as soon as it exceeds `max`, so that a
   * length without an end does not have to be inflated.
   */
  runLength(max: number): number {
    let length = 1
    for (;;) {
      const byte = this.byte()
      length += byte
      if (byte !== 255 || length > max) return length
    }
  }
}
