import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, PassThrough } from 'node:stream'
import type { ApiError } from '@sandglass/protocol'
import type { Dispatcher } from 'undici'
import { bodyOf, hasBody } from './body.ts'
import { type ChunkPace, smallBytes } from './chunk-pace.ts'
import type { HeaderList } from './headers.ts'
import { join } from './join.ts'

/** The headers of a response, by their names in lower case. */
export type AnswerHeaders = Record<string, string | string[] | undefined>

/** Where a request goes, and in what form. */
export interface Way {
  readonly upstream: Dispatcher
  readonly url: string
  readonly headers: HeaderList
  /** The body if it was read already, or null if there is none; otherwise it is streamed from the request. */
  readonly body?: string | null
  /** How long the response head may take; unlimited by default. */
  readonly headTimeoutMs?: number | undefined
  /** The protocol that the client wants to switch to. */
  readonly upgrade?: string | undefined
  /** Limits small chunks of the response; unlimited by default, for responses of other processes of the service. */
  readonly pace?: ChunkPace
  /** Returns the response headers for the client. Called once, right before they are written. */
  readonly toClient: (headers: AnswerHeaders) => HeaderList
  /** Explains to the client why there was no response. */
  readonly faultOf: (error: Error) => ApiError
  /** Responds with an error. Called only if nothing of a response was written yet. */
  readonly refuse: (error: ApiError) => void
  /** Called whenever bytes are transferred. */
  readonly onUse: () => void
  /**
   * Called at the end with the status of the response, 101 for an upgraded connection, or 0 if there was no response.
   */
  readonly onEnd: (status: number) => void
}

/** Methods that may be retried if a kept-alive connection turned out to be closed. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Relays one request upstream and its response back. Each direction runs only as fast as its receiver reads. */
export class Relay implements Dispatcher.DispatchHandler {
  activeAt = performance.now()
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #way: Way
  #controller: Dispatcher.DispatchController | undefined
  #joined: { readonly guest: Duplex; readonly client: Duplex } | undefined
  #tries = 0
  /** The bytes of the response body still to come; NaN if its length is unknown. */
  #left = Number.NaN
  #unwritten: Buffer[] = []
  #isPausing = false
  #isOver = false

  constructor(request: IncomingMessage, response: ServerResponse, way: Way) {
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
        body: this.#body(),
        upgrade: this.#way.upgrade ?? null,
        headersTimeout: this.#way.headTimeoutMs ?? 0,
      },
      this,
    )
  }

  #body(): PassThrough | string | null {
    const { body } = this.#way
    if (body !== undefined) return body
    return hasBody(this.#request) ? bodyOf(this.#request, () => this.#note()) : null
  }

  /** Nothing of an answer was written yet. */
  get isWaiting(): boolean {
    return !this.#response.headersSent
  }

  /** Answers with an error instead of waiting any longer. */
  fail(error: ApiError): void {
    this.#way.refuse(error)
    this.#controller?.abort(new Error('the answer did not come in time'))
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

  onResponseStart(_: unknown, status: number, headers: AnswerHeaders): void {
    // Informational responses (1xx) concern only the connection to the guest.
    if (status < 200) return
    this.#left = Number(headers['content-length'])
    this.#response.writeHead(status, this.#way.toClient(headers))
    // The first event may take a long time, and the client must learn now that the stream is open.
    if (isEventStream(headers)) this.#response.flushHeaders()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#note()
    this.#left -= chunk.length
    this.#unwritten.push(chunk)
    // Most responses arrive in one chunk, and then end together with it.
    if (this.#left === 0) this.#response.end(this.#takeUnwritten())
    else if (chunk.length >= smallBytes) this.#write(controller)
    // Small chunks that arrived together are written together.
    else if (this.#unwritten.length === 1) process.nextTick(() => this.#write(controller))
    const pauseMs = this.#way.pace?.pauseAfter(chunk.length) ?? 0
    if (pauseMs > 0) this.#pause(controller, pauseMs)
  }

  #write(controller: Dispatcher.DispatchController): void {
    if (this.#unwritten.length === 0 || this.#response.destroyed) return
    if (this.#response.write(this.#takeUnwritten())) return
    controller.pause()
    this.#response.once('drain', () => this.#isPausing || controller.resume())
  }

  #takeUnwritten(): Buffer {
    const [first = Buffer.alloc(0)] = this.#unwritten
    const all = this.#unwritten.length > 1 ? Buffer.concat(this.#unwritten) : first
    this.#unwritten = []
    return all
  }

  #pause(controller: Dispatcher.DispatchController, ms: number): void {
    controller.pause()
    if (this.#isPausing) return
    this.#isPausing = true
    setTimeout(() => {
      this.#isPausing = false
      if (!this.#response.writableNeedDrain) controller.resume()
    }, ms)
  }

  onResponseEnd(_: unknown, trailers: AnswerHeaders): void {
    if (this.#unwritten.length > 0) this.#response.write(this.#takeUnwritten())
    for (const name in trailers) this.#response.addTrailers([[name, String(trailers[name])]])
    if (!this.#response.writableEnded) this.#response.end()
  }

  onRequestUpgrade(_: unknown, status: number, headers: AnswerHeaders, guest: Duplex): void {
    const client = this.#response.socket
    if (this.#isOver || !client) {
      guest.destroy()
      return
    }
    const { upgrade } = this.#way
    const kept = this.#way.toClient(headers)
    this.#response.writeHead(status, [...kept, 'connection', 'upgrade', 'upgrade', upgrade ?? ''])
    this.#response.flushHeaders()
    this.#joined = { guest, client }
    const onData = () => this.#note()
    join(client, guest, onData, () => this.#leave())
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#isOver) return
    if (this.#response.headersSent) this.#response.destroy()
    else if (this.#mayRepeat(error)) this.start()
    else this.#way.refuse(this.#way.faultOf(error))
  }

  #mayRepeat(error: Error): boolean {
    const { method = '' } = this.#request
    const mayBeSent = repeatable.has(method) && !hasBody(this.#request)
    return this.#tries === 1 && mayBeSent && isClosed(error)
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
    this.#way.onEnd(headersSent ? statusCode : 0)
  }
}

function isEventStream(headers: AnswerHeaders): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream')
}

/** Whether the other end closed a kept-alive connection just as it was reused. */
function isClosed(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}
