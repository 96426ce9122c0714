import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex, PassThrough } from 'node:stream'
import type { ApiError } from '@sandglass/protocol'
import type { Dispatcher } from 'undici'
import { bodyOf, hasBody } from './body.ts'
import type { HeaderList } from './headers.ts'
import { join } from './join.ts'

/** The headers of an answer, by their names in lower case. */
export type AnswerHeaders = Record<string, string | string[] | undefined>

/** Where a request goes, and as what. */
export interface Way {
  readonly upstream: Dispatcher
  readonly url: string
  readonly headers: HeaderList
  /** The body where it was read already, null where there is none; otherwise it is streamed from the request. */
  readonly body?: string | null
  /** The head of the answer comes within this; unless given, there is no limit. */
  readonly headTimeoutMs?: number | undefined
  /** The protocol that the client would speak from then on. */
  readonly upgrade?: string | undefined
  /** The headers of the answer as the client gets them; called once, right before they are written. */
  readonly toClient: (headers: AnswerHeaders) => HeaderList
  /** Why there was no answer, in words for the one who asked. */
  readonly faultOf: (error: Error) => ApiError
  /** Answers with an error; called only while nothing of an answer was written. */
  readonly refuse: (error: ApiError) => void
  /** Bytes went through. */
  readonly onUse: () => void
  /** It is over; `status` is the answer's, 101 for an upgraded connection, 0 where there was none. */
  readonly onEnd: (status: number) => void
}

/** Methods that may be sent again where a kept connection turned out to be closed. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS'])

/** One request on its way upstream and its answer on the way back, each as fast as the slower side takes it. */
export class Relay implements Dispatcher.DispatchHandler {
  activeAt = performance.now()
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #way: Way
  #controller: Dispatcher.DispatchController | undefined
  #joined: { readonly guest: Duplex; readonly client: Duplex } | undefined
  #tries = 0
  /** What of the answer's body is still to come, where its length was given. */
  #left = Number.NaN
  #isOver = false

  constructor(request: IncomingMessage, response: ServerResponse, way: Way) {
    this.#request = request
    this.#response = response
    this.#way = way
    response.once('close', () => this.#leave())
  }

  start(): void {
    // The client may have gone before its way was found.
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
    // What comes before the answer itself belongs to the connection with the guest.
    if (status < 200) return
    this.#left = Number(headers['content-length'])
    this.#response.writeHead(status, this.#way.toClient(headers))
    // The first event may be long in coming, and the client is to know that it will.
    if (isEventStream(headers)) this.#response.flushHeaders()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#note()
    this.#left -= chunk.length
    // Most answers come in one piece, and so they go on.
    if (this.#left === 0) this.#response.end(chunk)
    else if (!this.#response.write(chunk)) this.#awaitDrain(controller)
  }

  #awaitDrain(controller: Dispatcher.DispatchController): void {
    controller.pause()
    this.#response.once('drain', () => controller.resume())
  }

  onResponseEnd(_: unknown, trailers: AnswerHeaders): void {
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
    this.#response.detachSocket(client)
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

/** A connection that had been kept open was closed by the other end, at the moment when it was used again. */
function isClosed(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}
