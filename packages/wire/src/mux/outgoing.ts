import { encodeFrame, frameType, maxPayloadBytes, windowBytes } from './frame.ts'
import { MuxError } from './mux-error.ts'

/** The sending direction of a stream. It holds one piece, of which each frame takes as much as it can. */
export class Outgoing {
  #piece: Uint8Array | undefined
  #credit = windowBytes
  #isEnding = false
  #isDone = false

  /** Whether the end was sent, or the other side wants nothing any more. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Whether a piece has not been sent completely. */
  get isBusy(): boolean {
    return this.#piece !== undefined
  }

  /** Whether {@link next} would return a frame. */
  get isReady(): boolean {
    return !this.#isDone && (this.#piece ? this.#credit > 0 : this.#isEnding)
  }

  write(bytes: Uint8Array): void {
    if (this.#isEnding) throw new Error('A stream cannot be written to after its end.')
    if (this.#piece) throw new Error('Wait until the last piece was written before you write another.')
    if (bytes.length > 0 && !this.#isDone) this.#piece = bytes
  }

  end(): void {
    this.#isEnding = true
  }

  addCredit(bytes: number): void {
    this.#credit += bytes
    if (bytes === 0 || this.#credit > windowBytes)
      throw new MuxError(`CREDIT of ${bytes} bytes, which is not what was sent`)
  }

  /** The next frame: data, or the end. */
  next(stream: number): Uint8Array | undefined {
    if (!this.isReady) return undefined
    if (!this.#piece) {
      this.#isDone = true
      return encodeFrame(frameType.end, stream)
    }
    const bytes = this.#piece.subarray(0, Math.min(this.#credit, maxPayloadBytes))
    this.#credit -= bytes.length
    this.#piece = bytes.length < this.#piece.length ? this.#piece.subarray(bytes.length) : undefined
    return encodeFrame(frameType.data, stream, bytes)
  }

  /** Forgets what the other side will not take. */
  discard(): void {
    this.#isDone = true
    this.#piece = undefined
  }
}
