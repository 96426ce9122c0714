import { codecOf } from './h264.ts'

/** Only in secure contexts, and not in every browser. */
export function canDrawVideo(): boolean {
  return 'VideoDecoder' in globalThis
}

/** Decodes one stream of H.264 after another. What it answers must be closed by whoever gets it. */
export class Video {
  #decoder: VideoDecoder | undefined
  #codec = ''
  readonly #waiting = new Map<number, (frame: VideoFrame | undefined) => void>()

  /** The picture of an access unit; nothing where it cannot be decoded, and then neither can those up to the next key. */
  decode(sequence: number, isKey: boolean, bytes: Uint8Array): Promise<VideoFrame | undefined> {
    if (isKey) this.#begin(bytes)
    const decoder = this.#decoder
    if (decoder?.state !== 'configured') return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<VideoFrame | undefined>()
    this.#waiting.set(sequence, resolve)
    try {
      decoder.decode(
        new EncodedVideoChunk({
          type: isKey ? 'key' : 'delta',
          timestamp: sequence,
          data: new Uint8Array(bytes),
        }),
      )
    } catch {
      this.close()
    }
    return promise
  }

  /** Whatever was not decoded yet will not be. */
  close(): void {
    if (this.#decoder && this.#decoder.state !== 'closed') this.#decoder.close()
    this.#decoder = undefined
    for (const resolve of this.#waiting.values()) resolve(undefined)
    this.#waiting.clear()
  }

  #begin(bytes: Uint8Array): void {
    const codec = codecOf(bytes)
    if (!codec) {
      this.close()
      return
    }
    // A decoder that is at work takes a key at any time, and holds back nothing that was before it.
    if (this.#decoder?.state === 'configured' && this.#codec === codec) return
    this.#codec = codec
    const decoder = this.#decoder?.state === 'configured' ? this.#decoder : this.#open()
    // Without a description the stream is Annex B.
    decoder.configure({ codec, optimizeForLatency: true })
  }

  #open(): VideoDecoder {
    const decoder = new VideoDecoder({
      output: frame => {
        const resolve = this.#waiting.get(frame.timestamp)
        this.#waiting.delete(frame.timestamp)
        if (resolve) resolve(frame)
        else frame.close()
      },
      error: () => this.#decoder === decoder && this.close(),
    })
    this.#decoder = decoder
    return decoder
  }
}
