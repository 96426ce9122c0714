import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import type { Dispatcher } from 'undici'
import { answerError } from './answers.ts'
import { bodyOf, hasBody } from './body.ts'
import { faultOf } from './faults.ts'
import { toClient } from './headers.ts'
import { join } from './join.ts'
import type { Exchange } from './open-exchanges.ts'

type Headers = Record<string, string | string[] | undefined>

/** Where a request goes, and in what form. */
export interface Way {
  readonly mapping: string
  readonly upstream: Dispatcher
  /**
   * The host:port by which the guest knows itself; undefined if the request goes to another process of the service.
   */
  readonly target: string | undefined
  readonly url: string
  readonly headers: string[]
  /** The protocol that the client wants to switch to. */
  readonly upgrade: string | undefined
  /** Called whenever bytes are transferred. */
  readonly onUse: () => void
  /**
   * Called at the end with the status of the response, 101 for an upgraded connection, or 0 if there was no response.
   */
  readonly onEnd: (exchange: Relay, status: number) => void
}

/** Methods that may be retried if a kept-alive connection turned out to be closed. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Relays one request to the sandbox and its response back. Each direction runs only as fast as its receiver reads.
 */
export class Relay implements Exchange, Dispatcher.DispatchHandler {
  readonly mapping: string
  activeAt = performance.now()
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #way: Way
  #controller: Dispatcher.DispatchController | undefined
  #joined: { readonly guest: Duplex; readonly client: Duplex } | undefined
  #tries = 0
  /** The bytes of the response body still to come; NaN if its length is unknown. */
  #left = Number.NaN
  #isOver = false

  constructor(request: IncomingMessage, response: ServerResponse, way: Way) {
    this.mapping = way.mapping
    this.#request = request
    this.#response = response
    this.#way = way
    response.once('close', () => this.#leave())
  }

  start(): void {
    // The client may have disconnected while the destination was looked up.
    if (this.#response.closed) {
      this.#leave()
      return
    }
    const { method = 'GET' } = this.#request
    this.#tries++
    this.#way.upstream.dispatch(
      {
        path: this.#way.url,
        method: method as Dispatcher.HttpMethod,
        headers: this.#way.headers,
        body: hasBody(this.#request) ? bodyOf(this.#request, () => this.#note()) : null,
        upgrade: this.#way.upgrade ?? null,
      },
      this,
    )
  }

  get isWaiting(): boolean {
    return !this.#response.headersSent
  }

  giveUp(): void {
    answerError(this.#response, new ApiError('mapping.TIMEOUT'))
    this.#controller?.abort(new Error('the guest did not answer'))
  }

  cut(): void {
    this.#response.destroy()
    this.#joined?.client.destroy()
    this.#joined?.guest.destroy()
    this.#leave()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('the client went away'))
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    // Informational responses (1xx) concern only the connection to the guest.
    if (status < 200) return
    this.#left = Number(headers['content-length'])
    this.#response.writeHead(status, toClient(headers, this.#way.target ?? ''))
    // The first event may take a long time, and the client must learn now that the stream is open.
    if (isEventStream(headers)) this.#response.flushHeaders()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#note()
    this.#left -= chunk.length
    // Most responses arrive in one chunk, and then end together with it.
    if (this.#left === 0) this.#response.end(chunk)
    else if (!this.#response.write(chunk)) this.#awaitDrain(controller)
  }

  #awaitDrain(controller: Dispatcher.DispatchController): void {
    controller.pause()
    this.#response.once('drain', () => controller.resume())
  }

  onResponseEnd(_: unknown, trailers: Headers): void {
    for (const name in trailers) this.#response.addTrailers([[name, String(trailers[name])]])
    if (!this.#response.writableEnded) this.#response.end()
  }

  onRequestUpgrade(_: unknown, status: number, headers: Headers, guest: Duplex): void {
    const client = this.#response.socket
    if (this.#isOver || !client) {
      guest.destroy()
      return
    }
    const { upgrade } = this.#way
    const kept = toClient(headers, this.#way.target ?? '')
    this.#response.writeHead(status, [...kept, 'connection', 'upgrade', 'upgrade', upgrade ?? ''])
    this.#response.flushHeaders()
    this.#response.detachSocket(client)
    this.#joined = { guest, client }
    const onData = () => this.#note()
    join(client, guest, onData, () => this.#leave())
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isOver) return
    if (this.#response.headersSent) this.#response.destroy()
    else if (this.#mayRepeat(error)) this.start()
    else answerError(this.#response, this.#way.target === undefined ? gone(error) : faultOf(error))
  }

  #mayRepeat(error: Error): boolean {
    const { method = '' } = this.#request
    return this.#tries === 1 && repeatable.has(method) && !hasBody(this.#request) && isClosed(error)
  }

  #note(): void {
    this.activeAt = performance.now()
    this.#way.onUse()
  }

  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    const { headersSent, statusCode, writableFinished } = this.#response
    if (!writableFinished && !this.#joined) this.#controller?.abort(new Error('the client went away'))
    this.#way.onEnd(this, headersSent ? statusCode : 0)
  }
}

function isEventStream(headers: Headers): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream')
}

/** Whether the guest closed a kept-alive connection just as it was reused. */
function isClosed(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

const goneRetrySeconds = 5

function gone(cause: Error): ApiError {
  return new ApiError('node.GONE', { retryAfter: goneRetrySeconds, cause })
}
