import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'

const MiB = 1024 * 1024
/** The free space of the disk is looked at after each of these pieces. */
const pieceBytes = 16 * MiB

/** Content that is on disk until it is disposed of. It has no name, so nothing of it is left after a crash. */
export interface Spooled extends AsyncDisposable {
  readonly size: number
  /** In hexadecimal digits. */
  readonly sha256: string
  /** Can be called many times. */
  read(): Readable
}

export interface SpoolLimits {
  readonly maxBytes: number
  /** Makes the error for content that is larger. */
  readonly tooLarge: () => Error
  readonly signal?: AbortSignal | undefined
}

/** Keeps content on disk that must be known as a whole before it is used, such as its hash. */
export class Spool {
  readonly #folder: string
  readonly #reserveMiB: number

  constructor(folder: string, reserveMiB: number) {
    this.#folder = folder
    this.#reserveMiB = reserveMiB
  }

  /** Call this first. A crash may have left files that had just been created. */
  async start(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
  }

  async store(
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { maxBytes, tooLarge, signal }: SpoolLimits,
  ): Promise<Spooled> {
    const file = await this.#open()
    try {
      const hash = createHash('sha256')
      let size = 0
      let checkedAt = -pieceBytes
      for await (const chunk of content) {
        signal?.throwIfAborted()
        if (size + chunk.length > maxBytes) throw tooLarge()
        if (size - checkedAt >= pieceBytes) {
          await this.#requireSpace()
          checkedAt = size
        }
        hash.update(chunk)
        await writeAll(file, chunk, size)
        size += chunk.length
      }
      signal?.throwIfAborted()
      return {
        size,
        sha256: hash.digest('hex'),
        read: () => file.createReadStream({ start: 0, autoClose: false }),
        [Symbol.asyncDispose]: () => file.close(),
      }
    } catch (error) {
      await file.close()
      throw diskErrorOf(error)
    }
  }

  async #open(): Promise<FileHandle> {
    const path = join(this.#folder, randomUUID())
    const file = await open(path, 'wx+', 0o600).catch(error => {
      throw diskErrorOf(error)
    })
    await unlink(path)
    return file
  }

  async #requireSpace(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder)
    if ((bavail * bsize) / MiB < this.#reserveMiB) throw full()
  }
}

/** A disk that is nearly full takes a part of what is written, and reports an error only for the rest. */
async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

const diskErrors = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])

function diskErrorOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && diskErrors.has(error.code) ? full(error) : error
}

function full(cause?: unknown): ApiError {
  return new ApiError('node.DISK_FULL', { retryAfter: 30, cause })
}
