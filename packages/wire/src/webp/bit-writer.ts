const leastWords = 256

/** Writes numbers of some bits one behind the other, the lowest bit of each first, as RFC 9649 has all of a lossless picture. */
export class BitWriter {
  #words = new Uint32Array(leastWords)
  #at = 0
  /** The bits that do not fill a word yet, and how many they are: fewer than 32. */
  #word = 0
  #used = 0

  /** `count` is less than 32, and `value` has no bits above it. */
  write(value: number, count: number): void {
    this.#word |= value << this.#used
    this.#used += count
    if (this.#used < 32) return
    this.#used -= 32
    if (this.#at === this.#words.length) this.#grow()
    this.#words[this.#at++] = this.#word
    this.#word = value >>> (count - this.#used)
  }

  /** What was written so far, the last byte filled up with zeroes. */
  bytes(): Uint8Array<ArrayBuffer> {
    const count = this.#at * 4 + Math.ceil(this.#used / 8)
    if (this.#at === this.#words.length) this.#grow()
    this.#words[this.#at] = this.#word
    return new Uint8Array(this.#words.buffer).slice(0, count)
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2)
    words.set(this.#words)
    this.#words = words
  }
}
