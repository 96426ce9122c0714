import { incomplete } from './connection-failure.ts'
import type { Opened } from './transport.ts'

/**
 * The bytes that an operation answers with. Read them once, in one of these ways. An answer that is not read keeps its connection, so
 * cancel it, or declare it with `await using`.
 */
export class Bytes implements AsyncDisposable {
  readonly headers: Headers
  readonly #opened: Opened
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined

  constructor(opened: Opened) {
    this.headers = opened.response.headers
    this.#opened = opened
  }

  /** The bytes as they arrive. Cancel the stream to stop the transfer. */
  get stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.#stream ??= this.#read()
    return this.#stream
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#whole(response => response.arrayBuffer()))
  }

  text(): Promise<string> {
    return this.#whole(response => response.text())
  }

  /** Stops the transfer of what has not been read. */
  async cancel(): Promise<void> {
    const { response, limit } = this.#opened
    limit.release()
    if (response.body?.locked) await this.#stream?.cancel().catch(() => {})
    else await response.body?.cancel().catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel()
  }

  async #whole<T>(read: (response: Response) => Promise<T>): Promise<T> {
    const { response, limit } = this.#opened
    // This is a mistake of the caller, which the platform explains.
    if (response.bodyUsed || response.body?.locked) return await read(response)
    try {
      return await read(response)
    } catch (cause) {
      throw this.#reasonFor(cause)
    } finally {
      limit.release()
    }
  }

  #read(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { response, limit } = this.#opened
    const reader = (response.body ?? new Blob([]).stream()).getReader()
    return new ReadableStream(
      {
        pull: async controller => {
          try {
            const { done, value } = await reader.read()
            if (!done) return controller.enqueue(value)
            limit.release()
            controller.close()
          } catch (cause) {
            limit.release()
            controller.error(this.#reasonFor(cause))
          }
        },
        cancel: async reason => {
          limit.release()
          await reader.cancel(reason)
        },
      },
      { highWaterMark: 0 },
    )
  }

  #reasonFor(cause: unknown): unknown {
    const { limit, url } = this.#opened
    return limit.reasonFor(incomplete(url, cause))
  }
}
