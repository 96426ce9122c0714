/** 16 MB per buffer: enough for a screen of 2560x1600, and small enough to keep. */
const maxKeptWords = 4 * 1024 * 1024

/**
 * A buffer that is reused for successive pictures, which avoids clearing fresh pages. Its old content is not cleared.
 */
export class ReusedWords {
  #words = new Int32Array(0)

  atLeast(count: number): Int32Array<ArrayBuffer> {
    if (count <= this.#words.length) return this.#words
    const words = new Int32Array(count)
    if (count <= maxKeptWords) this.#words = words
    return words
  }
}
