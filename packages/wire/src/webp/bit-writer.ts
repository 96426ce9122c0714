const initialWords = 256

/** Writes numbers of up to 31 bits back to back, lowest bit first, as lossless WebP requires (RFC 9649). */
export class BitWriter {
  #words = new Uint32Array(initialWords)
  #at = 0
  /** Bits that do not fill a word yet, and their number, which is below 32. */
  #pending = 0
  #pendingBits = 0

  /** `count` must be below 32, and `value` must fit in `count` bits. */
  write(value: number, count: number): void {
    this.#pending |= value << this.#pendingBits
    this.#pendingBits += count
    if (this.#pendingBits < 32) return
    this.#pendingBits -= 32
    if (this.#at === this.#words.length) this.#grow()
    this.#words[this.#at++] = this.#pending
    this.#pending = value >>> (count - this.#pendingBits)
  }

  /** Everything written so far; the last byte is padded with zeroes. */
  bytes(): Uint8Array<ArrayBuffer> {
    const count = this.#at * 4 + Math.ceil(this.#pendingBits / 8)
    if (this.#at === this.#words.length) this.#grow()
    this.#words[this.#at] = this.#pending
    return new Uint8Array(this.#words.buffer).slice(0, count)
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
  }
}
