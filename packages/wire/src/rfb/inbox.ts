import type { Step } from './step.ts'

/**
 * The bytes that came and are not used yet. Steps use a chunk up before they yield, so there is never more than one
 * and nothing is joined. What a step reads may be a view of the chunk, which holds until the step yields again.
 */
export class Inbox {
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0

  /** A Buffer of Node is seen as a plain array, lest `slice` on a part of it gives a view and no copy. */
  refill({ buffer, byteOffset, length }: Uint8Array): void {
    this.#chunk = new Uint8Array(buffer, byteOffset, length)
    this.#at = 0
  }

  /** Exactly so many bytes. They are set aside at once: the caller has checked that the number is bearable. */
  *take(length: number): Step<Uint8Array> {
    if (this.#chunk.length - this.#at >= length) return this.#next(length)
    const whole = new Uint8Array(length)
    yield* this.copyInto(whole, 0, length)
    return whole
  }

  /** The same as fields to be read; all numbers of RFB are big endian (RFC 6143, 7), as are a DataView's. */
  *fields(length: number): Step<DataView> {
    const bytes = yield* this.take(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }

  /** Moves bytes to where they belong, as they come. */
  *copyInto(target: Uint8Array, start: number, length: number): Step<void> {
    const end = start + length
    for (let at = start; ; yield) {
      const piece = this.#next(Math.min(end - at, this.#chunk.length - this.#at))
      target.set(piece, at)
      at += piece.length
      if (at === end) return
    }
  }

  #next(length: number): Uint8Array {
    const start = this.#at
    this.#at += length
    return this.#chunk.subarray(start, this.#at)
  }
}
