import type { Step } from './step.ts'

/**
 * Received bytes that have not been consumed. Steps consume a chunk completely before they yield for more, so there is
 * never more than one and chunks need not be joined. What a step reads may be a view of the chunk, which is valid until
 * the step yields again.
 */
export class Inbox {
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0

  /** Whether everything that was received has been consumed. */
  get isEmpty(): boolean {
    return this.#at === this.#chunk.length
  }

  /** Converts a Buffer to a plain Uint8Array, because `slice` on a Buffer returns a view instead of a copy. */
  refill({ buffer, byteOffset, length }: Uint8Array): void {
    this.#chunk = new Uint8Array(buffer, byteOffset, length)
    this.#at = 0
  }

  /** Reads exactly `length` bytes. They are allocated at once, so the caller must have checked the length. */
  *take(length: number): Step<Uint8Array> {
    if (this.#chunk.length - this.#at >= length) return this.#next(length)
    const whole = new Uint8Array(length)
    yield* this.copyInto(whole, 0, length)
    return whole
  }

  /** Reads `length` bytes as fields. All numbers in RFB are big endian (RFC 6143, 7), like a DataView's default. */
  *fields(length: number): Step<DataView> {
    const bytes = yield* this.take(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }

  /** Copies bytes into `target` as they arrive. */
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
