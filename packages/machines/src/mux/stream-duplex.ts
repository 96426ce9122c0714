import { Duplex } from 'node:stream'
import type { MuxStream } from '@sandglass/wire/mux'

type Done = (error?: Error | null) => void

/** A stream of a multiplexer as a Node stream. Either direction can be ended alone, as with a socket. */
export class StreamDuplex extends Duplex {
  readonly #stream: MuxStream
  #wantsBytes = false
  #written: Done | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(stream: MuxStream) {
    // What nobody reads waits in the multiplexer, which holds it compactly and gives no credit for it.
    super({ readableHighWaterMark: 1 })
    this.#stream = stream
    // The machine decides when it resets a stream, and must not end this process if nobody listens at that moment.
    this.on('error', () => {})
  }

  /** Emits `timeout` whenever nothing was transferred for this long, as a socket does. */
  setTimeout(milliseconds: number): this {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.emit('timeout'), milliseconds).unref()
    return this
  }

  /** Nothing to do: the transport of the session keeps the process, or does not. */
  unref(): this {
    return this
  }

  ref(): this {
    return this
  }

  /** The stream has received something. */
  received(): void {
    this.#idle?.refresh()
    while (this.#wantsBytes) {
      const bytes = this.#stream.read()
      if (bytes === undefined) return
      this.#wantsBytes = this.push(bytes) && bytes !== null
    }
  }

  /** The stream has sent what was written last. */
  wrote(): void {
    this.#idle?.refresh()
    const written = this.#written
    this.#written = undefined
    written?.()
  }

  override _read(): void {
    this.#wantsBytes = true
    this.received()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (this.#stream.write(chunk)) this.#written = done
    else done()
  }

  override _final(done: Done): void {
    this.#stream.end()
    done()
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#idle)
    if (!this.writableFinished || !this.readableEnded) this.#stream.reset()
    done(error)
  }
}
