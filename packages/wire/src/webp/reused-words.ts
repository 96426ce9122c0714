/** 16 MB each: more than the pixels of a screen of 2560x1600, and little enough to keep. */
const maxKept = 4 * 1024 * 1024

/** Memory that serves one picture after the other, which spares the clearing of fresh pages. What was in it is left there. */
export class ReusedWords {
  #words = new Int32Array(0)

  atLeast(count: number): Int32Array<ArrayBuffer> {
    if (count <= this.#words.length) return this.#words
    const words = new Int32Array(count)
    if (count <= maxKept) this.#words = words
    return words
  }
}
