import type { Readable } from 'node:stream'
import { type Decoding, type DecodingTurns, decodingTurns } from './decoding-turns.ts'

/** Decodes the bytes of a machine step by step. Each function returns whether everything so far was decoded. */
export interface ChunkDecoder {
  receive(chunk: Uint8Array): boolean
  proceed(): boolean
}

/**
 * Passes the chunks of a stream to a decoder in the turns of this process. While a chunk is not decoded completely, the
 * stream is paused, so that the machine has to wait. An exception of the decoder ends it and goes to `onError`.
 */
export class PacedChunks implements Decoding {
  readonly #stream: Readable
  readonly #decoder: ChunkDecoder
  readonly #onError: (error: unknown) => void
  readonly #turns: DecodingTurns
  #chunk: Uint8Array | undefined
  #isBusy = false
  #hasEnded = false

  constructor(
    stream: Readable,
    decoder: ChunkDecoder,
    onError: (error: unknown) => void,
    turns: DecodingTurns = decodingTurns,
  ) {
    this.#stream = stream
    this.#decoder = decoder
    this.#onError = onError
    this.#turns = turns
    stream.on('data', this.#onData)
  }

  /** Stops; nothing is decoded any more. */
  end(): void {
    this.#hasEnded = true
    this.#chunk = undefined
    this.#stream.off('data', this.#onData)
    this.#turns.cancel(this)
  }

  step(): boolean {
    if (this.#hasEnded) return true
    try {
      const chunk = this.#chunk
      this.#chunk = undefined
      this.#isBusy = !(chunk ? this.#decoder.receive(chunk) : this.#decoder.proceed())
    } catch (error) {
      this.end()
      this.#onError(error)
      return true
    }
    // The listener of an event may have ended it.
    if (this.#hasEnded || this.#isBusy) return this.#hasEnded
    if (this.#stream.isPaused()) this.#stream.resume()
    return true
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#chunk = chunk
    this.#isBusy = true
    this.#turns.begin(this)
    if (this.#isBusy && !this.#hasEnded) this.#stream.pause()
  }
}
