/** Bytes waiting to be sent, split into segments. All are full except the last, which takes the next write. */
export class SendQueue {
  readonly #segmentBytes: number
  readonly #maxSegments: number
  readonly #full: Uint8Array[] = []
  #last: Uint8Array | undefined
  #lastLength = 0

  constructor(segmentBytes: number, maxSegments: number) {
    this.#segmentBytes = segmentBytes
    this.#maxSegments = maxSegments
  }

  get segments(): number {
    return this.#full.length + (this.#last ? 1 : 0)
  }

  /** How many bytes `write` would accept. */
  get writableBytes(): number {
    return (this.#maxSegments - this.#full.length) * this.#segmentBytes - this.#lastLength
  }

  /** Copies as many bytes as fit and returns how many. */
  write(bytes: Uint8Array): number {
    let taken = 0
    while (taken < bytes.length && this.#full.length < this.#maxSegments) {
      this.#last ??= new Uint8Array(this.#segmentBytes)
      const piece = bytes.subarray(taken, taken + this.#segmentBytes - this.#lastLength)
      this.#last.set(piece, this.#lastLength)
      this.#lastLength += piece.length
      taken += piece.length
      if (this.#lastLength === this.#segmentBytes) this.#full.push(this.#takeLast())
    }
    return taken
  }

  shift(): Uint8Array | undefined {
    return this.#full.shift() ?? (this.#last && this.#takeLast())
  }

  #takeLast(): Uint8Array {
    const last = this.#last?.subarray(0, this.#lastLength) ?? new Uint8Array(0)
    this.#last = undefined
    this.#lastLength = 0
    return last
  }
}
