import type { MuxStream } from './stream.ts'

/** The streams that have something to send, in the order in which they get a turn; each is in it once. */
export class Turns {
  readonly #waiting = new Set<MuxStream>()

  add(stream: MuxStream): void {
    this.#waiting.add(stream)
  }

  /** The frame of the first stream that has one. A stream that has more must be added again, and is then last. */
  next(frameOf: (stream: MuxStream) => Uint8Array | undefined): Uint8Array | undefined {
    for (const stream of this.#waiting) {
      this.#waiting.delete(stream)
      const frame = frameOf(stream)
      if (frame) return frame
    }
    return undefined
  }

  delete(stream: MuxStream): void {
    this.#waiting.delete(stream)
  }
}
