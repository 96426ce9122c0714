import type { FileHandle } from 'node:fs/promises'
import { Writable } from 'node:stream'

/** How much may be written before a sync to disk is started. */
const syncBytes = 64 * 1024 * 1024

/**
 * Writes into an open file, and closes it. Data is synced to disk while more is written, so that finishing the file
 * takes little time and a full host is noticed early. With `consume`, buffers are freed as soon as they are written:
 * leaving them to the garbage collector would take more than half of the time of an upload.
 */
export class FileSink extends Writable {
  readonly #file: FileHandle
  readonly #consume: boolean
  #unsynced = 0
  #syncing: Promise<void> | undefined

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
    Promise.resolve(this.#syncing)
      .then(() => this.#file.close())
      .then(() => done(error), done)
  }

  /** Destroys the stream and resolves when the file is closed. */
  async abandon(): Promise<void> {
    if (!this.destroy().closed) await new Promise(resolve => this.once('close', resolve))
  }

  async #writeAll(chunks: readonly Buffer[]): Promise<void> {
    for (let left = chunks; left.length > 0; ) {
      const { bytesWritten } = await this.#file.writev(left)
      left = without(left, bytesWritten)
    }
    this.#unsynced += chunks.reduce((sum, { length }) => sum + length, 0)
    if (this.#unsynced >= syncBytes && !this.#syncing) this.#sync()
    if (this.#consume) chunks.forEach(free)
  }

  #sync(): void {
    this.#unsynced = 0
    this.#syncing = this.#file
      .datasync()
      .catch(error => void this.destroy(error))
      .finally(() => {
        this.#syncing = undefined
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

/** Leaves a buffer alone if it shares its memory with others. */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}
