import { checkHeader, endMark, type Frame, headerBytes, maxFrameBytes, pad, streamAt } from './frame.ts'
import { MuxError } from './mux-error.ts'

/**
 * Splits a byte stream into frames, however it arrives, and keeps at most one partial frame. Throws a MuxError, after
 * which it must not be used again.
 */
export class FrameReader {
  /** The begin of a frame of which not all bytes have arrived. */
  readonly #partial = new Uint8Array(maxFrameBytes)
  #filled = 0

  /** Fills the partial frame up to `length` bytes from `at`, and returns the position after what was used. */
  #fill(chunk: Uint8Array, at: number, length: number): number {
    const used = Math.max(0, Math.min(length - this.#filled, chunk.length - at))
    this.#partial.set(chunk.subarray(at, at + used), this.#filled)
    this.#filled += used
    return at + used
  }

  /** Payloads are views of the chunk or of the partial frame, so each must be used before the next is requested. */
  *receive(chunk: Uint8Array): Generator<Frame, void, undefined> {
    let at = this.#filled > 0 ? this.#fill(chunk, 0, headerBytes) : 0
    if (this.#filled >= headerBytes) {
      const length = headerBytes + checkHeader(this.#partial, 0) + 1
      at = this.#fill(chunk, at, length)
      if (this.#filled < length) return
      this.#filled = 0
      yield frameAt(this.#partial, 0, length)
    } else if (this.#filled > 0) return
    for (;;) {
      while (at < chunk.length && chunk[at] === pad) at++
      const left = chunk.length - at
      const length = left < headerBytes ? left + 1 : headerBytes + checkHeader(chunk, at) + 1
      if (left < length) break
      yield frameAt(chunk, at, length)
      at += length
    }
    this.#partial.set(chunk.subarray(at))
    this.#filled = chunk.length - at
  }
}

function frameAt(bytes: Uint8Array, at: number, length: number): Frame {
  if (bytes[at + length - 1] !== endMark)
    throw new MuxError('a frame was cut off; the other side has probably started over')
  const payload = bytes.subarray(at + headerBytes, at + length - 1)
  return { type: bytes[at] ?? 0, stream: streamAt(bytes, at), payload }
}
