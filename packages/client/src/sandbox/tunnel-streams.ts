import { ConnectionError, errorClassOf } from '../errors.ts'
import { readFailure } from '../read-failure.ts'
import type { Tunnel } from './tunnel.ts'
import { onRefusal, type WebSocketLike } from './web-socket.ts'

/** The longest message that the service accepts. */
const messageBytes = 256 * 1024
/** How much is read or sent ahead. */
const aheadBytes = 1024 * 1024
const pollMs = 5
const isOpen = 1
/** The service closes a tunnel because of an error with 4000 and the status of the error, whose code is the reason. */
const errorCodes = 4000

/** The streams of a tunnel. Messages carry bytes; an empty one ends its direction, as a FIN does. */
export class TunnelStreams implements Tunnel {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly writable: WritableStream<Uint8Array>
  readonly opened: Promise<void>
  readonly closed: Promise<void>
  readonly #socket: WebSocketLike
  readonly #ended = new AbortController()
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  #isReadEnded = false
  #failure: { readonly reason: unknown } | undefined

  constructor(socket: WebSocketLike) {
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    this.readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: controller => {
          this.#controller = controller
        },
        pull: () => socket.resume?.(),
        cancel: () => {
          this.#isReadEnded = true
          socket.resume?.()
        },
      },
      { highWaterMark: aheadBytes, size: chunk => chunk.length },
    )
    this.writable = new WritableStream<Uint8Array>({
      start: controller => {
        this.#ended.signal.addEventListener('abort', () => controller.error(this.#ended.signal.reason))
      },
      write: chunk => this.#write(chunk),
      close: () => this.#finish(),
      abort: reason => this.close(reason),
    })
    this.opened = new Promise((resolve, reject) => {
      socket.addEventListener('open', () => resolve())
      this.#ended.signal.addEventListener('abort', () => reject(this.#ended.signal.reason))
    })
    this.closed = new Promise((resolve, reject) => {
      this.#ended.signal.addEventListener('abort', () =>
        this.#failure ? reject(this.#failure.reason) : resolve(),
      )
    })
    this.opened.catch(() => {})
    this.closed.catch(() => {})
    this.#listen()
  }

  close(reason?: unknown): void {
    this.#end(reason === undefined ? undefined : { reason })
    this.#socket.resume?.()
    this.#socket.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  #listen(): void {
    const socket = this.#socket
    socket.addEventListener('message', ({ data }: { readonly data: ArrayBuffer }) => this.#receive(data))
    // A close follows each error, and says more.
    socket.addEventListener('error', () => {
      if (socket.readyState > isOpen) this.#closed(1006, '')
    })
    socket.addEventListener('close', ({ code, reason }: { readonly code: number; readonly reason: string }) =>
      this.#closed(code, reason),
    )
    onRefusal(socket, response => {
      readFailure(response, 'the service').then(
        reason => this.close(reason),
        () => this.close(),
      )
    })
  }

  #receive(data: ArrayBuffer): void {
    if (this.#isReadEnded) return
    if (data.byteLength === 0) {
      this.#isReadEnded = true
      this.#controller?.close()
      return
    }
    this.#controller?.enqueue(new Uint8Array(data))
    if ((this.#controller?.desiredSize ?? 0) <= 0) this.#socket.pause?.()
  }

  /** Sends no faster than the connection takes it. A WebSocket does not tell when it has, so it is asked. */
  async #write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; at += messageBytes) {
      await this.#untilSent(aheadBytes)
      this.#socket.send(new Uint8Array(chunk.subarray(at, at + messageBytes)))
    }
  }

  async #finish(): Promise<void> {
    await this.#untilSent(aheadBytes)
    this.#socket.send(new Uint8Array(0))
  }

  async #untilSent(leftBytes: number): Promise<void> {
    for (;;) {
      this.#ended.signal.throwIfAborted()
      if (this.#socket.readyState !== isOpen) throw lost()
      if (this.#socket.bufferedAmount <= leftBytes) return
      await new Promise(resolve => setTimeout(resolve, pollMs))
    }
  }

  #closed(code: number, reason: string): void {
    if (code > errorCodes && code < errorCodes + 600) {
      const failure = new (errorClassOf(code - errorCodes))(
        `The tunnel was closed by the service: ${reason}.`,
        {
          code: reason,
          status: code - errorCodes,
        },
      )
      this.#end({ reason: failure })
    } else this.#end(code === 1000 ? undefined : { reason: lost() })
  }

  #end(failure: { readonly reason: unknown } | undefined): void {
    if (this.#ended.signal.aborted) return
    this.#failure = failure
    const reason = failure?.reason ?? closedHere()
    if (!this.#isReadEnded) {
      this.#isReadEnded = true
      if (failure) this.#controller?.error(reason)
      else this.#controller?.close()
    }
    this.#ended.abort(reason)
  }
}

function lost(): ConnectionError {
  return new ConnectionError('The connection of the tunnel was lost.', { code: 'client.DISCONNECTED' })
}

function closedHere(): ConnectionError {
  return new ConnectionError('The tunnel is closed.', { code: 'client.CLOSED' })
}
