import type { CallOptions } from '../call-options.ts'
import { SandglassError, TimeoutError } from '../errors.ts'
import { pause } from '../pause.ts'
import { base64Of } from './base64.ts'

/** A request of JSON has 1 MiB at most, and base64 adds a third. */
const pieceBytes = 720 * 1024
const firstWaitMs = 2
const longestWaitMs = 200

interface Entry {
  readonly bytes: Uint8Array
  sent: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

interface Piece {
  readonly bytes: Uint8Array
  readonly parts: readonly { readonly entry: Entry; readonly count: number }[]
}

/** Sends the input of a shell in order, and no faster than the command reads it. What waits is sent together. */
export class ShellInput {
  readonly #send: (dataBase64: string) => Promise<unknown>
  readonly #closed: AbortSignal
  #entries: Entry[] = []
  #isSending = false
  #drained: (() => void)[] = []

  constructor(send: (dataBase64: string) => Promise<unknown>, closed: AbortSignal) {
    this.#send = send
    this.#closed = closed
  }

  /** Resolves when the service has accepted the bytes. */
  write(bytes: Uint8Array, { signal, timeoutMs }: CallOptions = {}): Promise<void> {
    const { promise, resolve, reject } = promiseParts()
    if (signal?.aborted) reject(signal.reason)
    else if (bytes.length === 0 && this.#entries.length === 0) resolve()
    else {
      const entry: Entry = { bytes, sent: 0, resolve, reject }
      this.#entries.push(entry)
      const drop = (reason: unknown) => {
        this.#entries = this.#entries.filter(other => other !== entry)
        reject(reason)
      }
      const onAbort = () => drop(signal?.reason)
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => drop(tooLong(timeoutMs)), timeoutMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      promise.then(end, end)
      if (!this.#isSending) void this.#sendAll()
    }
    // A caller that does not wait for it must not be ended by it.
    promise.catch(() => {})
    return promise
  }

  /** Resolves when everything before was sent, or has failed. */
  async drained(): Promise<void> {
    if (this.#isSending) await new Promise<void>(resolve => this.#drained.push(resolve))
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    for (let fulls = 0; this.#entries.length > 0; ) {
      const piece = this.#nextPiece()
      try {
        await this.#send(base64Of(piece.bytes))
        fulls = 0
        this.#count(piece)
      } catch (error) {
        const isFull = error instanceof SandglassError && error.code === 'shell.INPUT_FULL'
        if (!isFull) {
          this.#fail(error)
          continue
        }
        const isOpen = await pause(Math.min(longestWaitMs, firstWaitMs * 2 ** fulls++), this.#closed).then(
          () => true,
          () => false,
        )
        if (!isOpen) this.#fail(this.#closed.reason)
      }
    }
    // Nothing is awaited since the last look at the entries, so none can have come meanwhile.
    this.#isSending = false
    for (const report of this.#drained.splice(0)) report()
  }

  #nextPiece(): Piece {
    const parts: { entry: Entry; count: number }[] = []
    let length = 0
    for (const entry of this.#entries) {
      const count = Math.min(entry.bytes.length - entry.sent, pieceBytes - length)
      parts.push({ entry, count })
      length += count
      if (length === pieceBytes) break
    }
    const bytes = new Uint8Array(length)
    let at = 0
    for (const { entry, count } of parts) {
      bytes.set(entry.bytes.subarray(entry.sent, entry.sent + count), at)
      at += count
    }
    return { bytes, parts }
  }

  #count({ parts }: Piece): void {
    for (const { entry, count } of parts) {
      entry.sent += count
      if (entry.sent < entry.bytes.length) continue
      this.#entries = this.#entries.filter(other => other !== entry)
      entry.resolve()
    }
  }

  /** What follows a piece that may be missing must not arrive either. */
  #fail(reason: unknown): void {
    for (const { reject } of this.#entries.splice(0)) reject(reason)
  }
}

function promiseParts() {
  let resolve = () => {}
  let reject = (_: unknown) => {}
  const promise = new Promise<void>((onDone, onFail) => {
    resolve = onDone
    reject = onFail
  })
  return { promise, resolve, reject }
}

function tooLong(timeoutMs: number): TimeoutError {
  return new TimeoutError(`The command did not read its input within ${timeoutMs} ms.`, {
    code: 'client.TIMEOUT',
  })
}
