import type { Json } from '../../../../contract/handle.ts'
import { type AnswerLimits, malformed } from '../../../local/guest/parse-answer.ts'
import { fileError } from '../../../posix/file-errors.ts'
import type { Ask } from '../agent/guest-agent.ts'
import { Refusal } from '../json-lines.ts'

/** The number of bytes per request. */
const chunkSize = 192 * 1024

const readLimits: AnswerLimits = { maxBytes: 2 * chunkSize, maxValues: 64 }

/** A file that QEMU's guest agent has open. */
export class GuestFile {
  readonly #ask: Ask
  readonly #path: string
  readonly #handle: number

  private constructor(ask: Ask, path: string, handle: number) {
    this.#ask = ask
    this.#path = path
    this.#handle = handle
  }

  static async open(ask: Ask, path: string, mode: 'rb' | 'wb'): Promise<GuestFile> {
    const { value } = await refusable(path, ask({ execute: 'guest-file-open', arguments: { path, mode } }))
    if (!Number.isSafeInteger(value)) throw malformed()
    return new GuestFile(ask, path, Number(value))
  }

  async seek(offset: number): Promise<void> {
    await this.#request('guest-file-seek', { offset, whence: 'set' })
  }

  /** Reads the next piece of at most this length. It is empty at the end. */
  async read(length: number): Promise<Buffer> {
    const count = Math.min(length, chunkSize)
    const answer = await this.#request('guest-file-read', { count }, readLimits)
    const data = answer['buf-b64']
    if (typeof data !== 'string') throw malformed()
    const piece = Buffer.from(data, 'base64')
    if (piece.length > count) throw malformed()
    return piece
  }

  async write(content: Uint8Array): Promise<void> {
    for (let at = 0; at < content.length; ) {
      const data = Buffer.from(content.subarray(at, at + chunkSize)).toString('base64')
      const { count } = await this.#request('guest-file-write', { 'buf-b64': data })
      if (!Number.isSafeInteger(count) || Number(count) < 1 || Number(count) > content.length - at)
        throw malformed()
      at += Number(count)
    }
  }

  async flush(): Promise<void> {
    await this.#request('guest-file-flush', {})
  }

  async close(): Promise<void> {
    await this.#request('guest-file-close', {})
  }

  #request(execute: string, fields: Readonly<Record<string, Json>>, limits?: AnswerLimits) {
    return refusable(
      this.#path,
      this.#ask({ execute, arguments: { handle: this.#handle, ...fields } }, limits),
    )
  }
}

async function refusable<T>(path: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw error instanceof Refusal ? fileError(error.message, path) : error
  }
}
