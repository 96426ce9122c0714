/** As many colours as one byte can index. */
const maxColours = 256

/** Four times the colours, so that lookups take one or two steps. */
const places = 1024

/** The colours of a tile, in order of first use. One instance is reused for many tiles. */
export class Palette {
  readonly #words = new Int32Array(maxColours)
  /** Open addressing: the index of a colour plus one, or 0 if empty. */
  readonly #table = new Uint16Array(places)
  #count = 0

  get size(): number {
    return this.#count
  }

  clear(): void {
    this.#table.fill(0)
    this.#count = 0
  }

  /** Returns -1 if there are too many colours. */
  indexOf(word: number): number {
    let place = (Math.imul(word, 0x9e3779b1) >>> 22) % places
    for (;;) {
      const entry = this.#table[place] ?? 0
      if (entry === 0) return this.#add(word, place)
      if (this.#words[entry - 1] === word) return entry - 1
      place = (place + 1) % places
    }
  }

  /** Three bytes per colour. */
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
