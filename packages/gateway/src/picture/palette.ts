/** As many colours as an index of a byte can name. */
const maxColours = 256

/** Four times the colours, so that a place is found in a step or two. */
const places = 1024

/** The colours of a tile in the order in which they came up. One is used over and over: there are many tiles. */
export class Palette {
  readonly #words = new Int32Array(maxColours)
  /** Open addressing: an index into the colours and one more, or 0. */
  readonly #table = new Uint16Array(places)
  #count = 0

  get size(): number {
    return this.#count
  }

  clear(): void {
    this.#table.fill(0)
    this.#count = 0
  }

  /** -1 for one colour too many. */
  indexOf(word: number): number {
    let place = (Math.imul(word, 0x9e3779b1) >>> 22) % places
    for (;;) {
      const entry = this.#table[place] ?? 0
      if (entry === 0) return this.#add(word, place)
      if (this.#words[entry - 1] === word) return entry - 1
      place = (place + 1) % places
    }
  }

  /** Three bytes each. */
  colours(): Uint8Array {
    const bytes = new Uint8Array(3 * this.#count)
    for (let index = 0; index < this.#count; index++) {
      const word = this.#words[index] ?? 0
      bytes[3 * index] = word
      bytes[3 * index + 1] = word >> 8
      bytes[3 * index + 2] = word >> 16
    }
    return bytes
  }

  #add(word: number, place: number): number {
    if (this.#count === maxColours) return -1
    this.#words[this.#count++] = word
    this.#table[place] = this.#count
    return this.#count - 1
  }
}
