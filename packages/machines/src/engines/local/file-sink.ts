import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'

/**
 * Writes into an open file, and closes it. Buffers that are its own to consume it frees as soon as they are written: left
 * to the collector, they would cost more than half of the time of an upload.
 */
export class FileSink extends Writable {
  readonly #file: FileHandle
  readonly #consume: boolean

  constructor(file: FileHandle, consume: boolean) {
    super({ highWaterMark: 1024 * 1024 })
    this.#file = file
    this.#consume = consume
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#writeAll([chunk]).then(() => done(), done)
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#writeAll(chunks.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file.close().then(() => done(error), done)
  }

  /** Ends it, whatever it is at; settles when the file is closed. */
  async letGo(): Promise<void> {
    if (!this.destroy().closed) await new Promise(resolve => this.once('close', resolve))
  }

  async #writeAll(chunks: readonly Buffer[]): Promise<void> {
    for (let left = chunks; left.length > 0; ) {
      const { bytesWritten } = await this.#file.writev(left)
      left = without(left, bytesWritten)
    }
    if (this.#consume) chunks.forEach(free)
  }
}

function without(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let left = bytes
  return chunks.flatMap(chunk => {
    const taken = Math.min(left, chunk.length)
    left -= taken
    return taken < chunk.length ? [chunk.subarray(taken)] : []
  })
}

/** A buffer that is a part of a larger one has neighbours, and is left alone. */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}
