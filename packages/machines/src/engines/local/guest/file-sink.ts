import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'

/** How much may be written before the disk is asked to store it. */
const storeEvery = 64 * 1024 * 1024

/**
 * Writes into an open file, and closes it. What is written is stored on the disk meanwhile, so that whoever finishes the file
 * hardly waits for that, and a host without space is noticed early. Buffers that are its own to consume it frees as soon as
 * they are written: left to the collector, they would cost more than half of the time of an upload.
 */
export class FileSink extends Writable {
  readonly #file: FileHandle
  readonly #consume: boolean
  #unstored = 0
  #storing: Promise<void> | undefined

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
    Promise.resolve(this.#storing)
      .then(() => this.#file.close())
      .then(() => done(error), done)
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
    this.#unstored += chunks.reduce((sum, { length }) => sum + length, 0)
    if (this.#unstored >= storeEvery && !this.#storing) this.#store()
    if (this.#consume) chunks.forEach(free)
  }

  #store(): void {
    this.#unstored = 0
    this.#storing = this.#file
      .datasync()
      .catch(error => void this.destroy(error))
      .finally(() => {
        this.#storing = undefined
      })
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
