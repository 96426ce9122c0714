import { Unzlib } from 'fflate'
import { RfbError } from '../rfb-error.ts'

/**
 * Deflate makes at most 1032 bytes of one, and fflate inflates all that it is given: so portions bound what a hostile
 * stream can make of them, to 17 MB.
 */
export const portionBytes = 16 * 1024

/** A stored block of 64 KiB gives nothing before it is whole; nothing honest takes more without giving any. */
const maxBarrenBytes = 128 * 1024

/**
 * The one zlib stream of a session (RFC 6143, 7.7.6). fflate gives every byte whose bits it has, so after the sync
 * flush that ends a rectangle all of its bytes are here. After a block that says it is the last, fflate gives nothing
 * and hoards what comes: that is why barren input is counted.
 */
export class Inflater {
  #barren = 0
  #output: Uint8Array = new Uint8Array(0)
  readonly #unzlib = new Unzlib(piece => this.#append(piece))

  /** What is inflated and not used yet. */
  get output(): Uint8Array {
    return this.#output
  }

  /** Takes a portion of at most `portionBytes`. */
  push(portion: Uint8Array): void {
    this.#barren += portion.length
    try {
      // A copy, since fflate keeps what it cannot use yet and the portion may be a view of the caller's memory.
      this.#unzlib.push(portion.slice())
    } catch (cause) {
      throw new RfbError('MALFORMED', `the zlib stream is broken: ${String(cause)}`, { cause })
    }
    if (this.#barren > maxBarrenBytes)
      throw new RfbError('MALFORMED', `${this.#barren} bytes of the zlib stream hold nothing`)
  }

  use(length: number): void {
    this.#output = this.#output.subarray(length)
  }

  #append(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#barren = 0
    if (this.#output.length === 0) this.#output = piece
    else {
      const joined = new Uint8Array(this.#output.length + piece.length)
      joined.set(this.#output)
      joined.set(piece, this.#output.length)
      this.#output = joined
    }
  }
}
