import { Unzlib } from 'fflate'
import { RfbError } from '../rfb-error.ts'

/**
 * DEFLATE expands one byte to at most 1032, and fflate inflates everything that it is given. Feeding it portions of
 * this size limits what a hostile stream can expand to at once to 17 MB.
 */
export const portionBytes = 16 * 1024

/**
 * A stored block of 64 KiB produces no output until it is complete. No legitimate stream needs more input than this
 * without producing output.
 */
const maxBytesWithoutOutput = 128 * 1024

/**
 * The zlib stream of a session (RFC 6143, 7.7.6). fflate outputs every byte as soon as it has its bits, so all bytes of
 * a rectangle are available after the sync flush that ends it. After a block that is marked as the last, fflate outputs
 * nothing and buffers all further input, which is why input without output is counted.
 */
export class Inflater {
  #bytesWithoutOutput = 0
  #output: Uint8Array = new Uint8Array(0)
  readonly #unzlib = new Unzlib(piece => this.#append(piece))

  /** Inflated bytes that have not been consumed. */
  get output(): Uint8Array {
    return this.#output
  }

  /** Inflates a portion of at most `portionBytes`. */
  push(portion: Uint8Array): void {
    this.#bytesWithoutOutput += portion.length
    try {
      // Copy the portion, because fflate keeps what it cannot use yet and the portion may be a view of the caller's
      // memory.
      this.#unzlib.push(portion.slice())
    } catch (cause) {
      throw new RfbError('MALFORMED', `the zlib stream is broken: ${String(cause)}`, { cause })
    }
    if (this.#bytesWithoutOutput > maxBytesWithoutOutput)
      throw new RfbError(
        'MALFORMED',
        `${this.#bytesWithoutOutput} bytes of the zlib stream produced no output`,
      )
  }

  consume(length: number): void {
    this.#output = this.#output.subarray(length)
  }

  #append(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.#bytesWithoutOutput = 0
    if (this.#output.length === 0) this.#output = piece
    else {
      const joined = new Uint8Array(this.#output.length + piece.length)
      joined.set(this.#output)
      joined.set(piece, this.#output.length)
      this.#output = joined
    }
  }
}
