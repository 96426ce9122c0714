import type { Writable } from 'node:stream'

/**
 * Writes what is sent in one turn of the event loop to a server at once, since each write costs a call of the kernel. A server that does
 * not read would fill the memory, so it is given up: `onUnread` is called.
 */
export class TurnWriter {
  readonly #stream: Writable
  readonly #maxUnsentBytes: number
  readonly #onUnread: () => void
  #unsent: Uint8Array[] = []
  #hasEnded = false

  constructor(stream: Writable, maxUnsentBytes: number, onUnread: () => void) {
    this.#stream = stream
    this.#maxUnsentBytes = maxUnsentBytes
    this.#onUnread = onUnread
  }

  /** It leaves at the end of this turn, or with the next `flush`. */
  send(bytes: Uint8Array): void {
    if (this.#hasEnded) return
    if (this.#unsent.length === 0) queueMicrotask(() => this.flush())
    this.#unsent.push(bytes)
  }

  flush(): void {
    const [first, ...others] = this.#unsent
    if (!first) return
    this.#unsent = []
    this.#stream.write(others.length === 0 ? first : Buffer.concat([first, ...others]))
    if (this.#stream.writableLength > this.#maxUnsentBytes) this.#onUnread()
  }

  /** Nothing is written any more. */
  end(): void {
    this.#hasEnded = true
    this.#unsent = []
  }
}
