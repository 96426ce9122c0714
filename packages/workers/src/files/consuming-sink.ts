import { Writable } from 'node:stream'
import type { Channel } from '@sandglass/rpc'

/**
 * Writes to a channel and frees each buffer as soon as it is sent: leaving them to the garbage collector would take a large
 * part of the time of an upload.
 */
export class ConsumingSink extends Writable {
  readonly #channel: Channel

  constructor(channel: Channel) {
    super({ highWaterMark: 1024 * 1024 })
    this.#channel = channel
    channel.once('close', () => this.destroy(channel.errored ?? undefined))
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk, done)
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    chunks.forEach(({ chunk }, index) => {
      this.#send(chunk, index === chunks.length - 1 ? done : () => {})
    })
  }

  #send(chunk: Buffer, done: (error?: Error | null) => void): void {
    this.#channel.write(chunk, error => {
      // A channel that was closed may not be done with the buffer.
      if (!error && !this.#channel.destroyed) free(chunk)
      done(error)
    })
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#channel.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#channel.writableFinished) this.#channel.destroy(error ?? undefined)
    done(error)
  }
}

/** Leaves a buffer alone if it shares its memory with others. */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}
