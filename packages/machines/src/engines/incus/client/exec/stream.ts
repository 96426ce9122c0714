import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

const maxFrameBytes = 32 * 1024

type Done = (error?: Error | null) => void

/** The standard input and output of a program as one stream. Either direction can be ended alone, as with a socket. */
export class ExecStream extends Duplex {
  readonly #onDestroy: () => void
  #input: WebSocket | undefined
  #output: WebSocket | undefined
  #hasEnded = false
  /** When something was sent first of which nothing has come back. */
  #unansweredSinceMs: number | undefined

  constructor(onDestroy: () => void) {
    // The program may still run after both directions have ended.
    super({ highWaterMark: 2 * maxFrameBytes, autoDestroy: false })
    this.#onDestroy = onDestroy
    // The network decides when a stream breaks, and must not end this process if nobody listens at that moment.
    this.on('error', () => {})
  }

  /** Whether the program has closed its standard output and all of it has arrived. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** For how long nothing has come back of what was sent. While nobody reads, nothing can be heard. */
  get unansweredMs(): number {
    if (this.#output?.isPaused) this.excuse()
    return this.#unansweredSinceMs === undefined ? 0 : performance.now() - this.#unansweredSinceMs
  }

  /** Counts from now on, because there was a reason. */
  excuse(): void {
    if (this.#unansweredSinceMs !== undefined) this.#unansweredSinceMs = performance.now()
  }

  writeTo(input: WebSocket): void {
    this.#input = input
  }

  readFrom(output: WebSocket): void {
    this.#output = output
    output.on('message', (data: Buffer, isBinary) => {
      this.#unansweredSinceMs = undefined
      if (this.#hasEnded || this.destroyed) return
      // Incus ends a stream with an empty text message.
      if (isBinary) {
        if (!this.push(data)) output.pause()
      } else {
        this.#hasEnded = true
        this.push(null)
      }
    })
  }

  override _read(): void {
    if (this.#output?.isPaused) this.#output.resume()
  }

  /** What is written to a program that has ended already is dropped: its exit code says more than an error here. */
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    const input = this.#input
    if (!input || chunk.length === 0) {
      done()
      return
    }
    this.#unansweredSinceMs ??= performance.now()
    for (let start = 0; start < chunk.length; start += maxFrameBytes) {
      const isLast = start + maxFrameBytes >= chunk.length
      input.send(chunk.subarray(start, start + maxFrameBytes), isLast ? () => done() : () => {})
    }
  }

  override _final(done: Done): void {
    if (this.#input) this.#input.send('', () => done())
    else done()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#onDestroy()
    done(error)
  }
}
