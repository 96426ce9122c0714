import { codecOf } from './h264.ts'

/** Whether the browser can decode video: WebCodecs needs a secure context and is missing in some browsers. */
export function canDrawVideo(): boolean {
  return 'VideoDecoder' in globalThis
}

/** Decodes H.264 streams one after another. The caller must close every frame it gets. */
export class Video {
  #decoder: VideoDecoder | undefined
  #codec = ''
  readonly #waiting = new Map<number, (frame: VideoFrame | undefined) => void>()

  /**
   * Decodes an access unit. Resolves to undefined if that fails; then all units up to the next key frame fail as well.
   */
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

  /** Drops everything that has not been decoded yet. */
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
    // A running decoder accepts a key frame at any time and still returns the frames before it.
    if (this.#decoder?.state === 'configured' && this.#codec === codec) return
    this.#codec = codec
    const decoder = this.#decoder?.state === 'configured' ? this.#decoder : this.#open()
    // Without a description the decoder expects Annex B.
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
