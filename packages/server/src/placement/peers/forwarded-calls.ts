import { Readable } from 'node:stream'
import { type AnswerHeaders, type Client, Relay, UpgradeResponse } from '@sandglass/mappings'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { gone } from '../gone.ts'
import { faultOf } from './faults.ts'
import { headersFromPeer, headersToPeer } from './headers.ts'
import { headTimeoutMs, type Peer } from './peer.ts'

/**
 * Headers that are not forwarded: the peer has its own host, this process has already done CORS, and the request id is
 * set below.
 */
const dropped = new Set([
  'host',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
  'x-request-id',
])
/** A JSON body was parsed and is serialized again, so its length may have changed. */
const droppedWithBody = new Set([...dropped, 'content-length'])

/** Forwards API calls to peers, and writes each response straight to the connection of the caller. */
export class ForwardedCalls {
  /** Responses that are event streams or WebSockets, which do not end by themselves. */
  readonly #streams = new Set<Relay>()
  #isEnding = false

  /** Settles when the response begins. */
  forward(peer: Peer, request: FastifyRequest, reply: FastifyReply, client: Client): Promise<FastifyReply> {
    const { promise, resolve, reject } = Promise.withResolvers<FastifyReply>()
    const { raw, method, url } = request
    const body = bodyOf(request)
    const own = [...peer.mark(method, url, client), 'x-request-id', request.id]
    const relay = new Relay(raw, reply.raw, {
      upstream: peer.pool,
      url: peer.urlOf(url),
      headers: headersToPeer(raw, own, body === undefined ? dropped : droppedWithBody),
      ...(body !== undefined && { body }),
      upgrade: reply.raw instanceof UpgradeResponse ? 'websocket' : undefined,
      headTimeoutMs: isLong(request) ? undefined : headTimeoutMs,
      toClient: headers => {
        // The relay writes to the connection itself, because Fastify would copy the response through another stream.
        request.server.answers.send(request, reply, reply.raw)
        resolve(reply.hijack())
        if (isEventStream(headers) || isSocket(headers)) this.#note(relay)
        return headersFromPeer(headers, reply.getHeaders())
      },
      faultOf,
      refuse: reject,
      onUse: () => {},
      onEnd: () => {
        this.#streams.delete(relay)
        // The cause records that the caller left, so it is unknown whether the peer did what it was asked.
        if (!reply.sent) reject(gone({ cause: new Error('the caller went away') }))
      },
    })
    relay.start()
    return promise
  }

  endStreams(): void {
    this.#isEnding = true
    for (const relay of this.#streams) relay.cut()
  }

  #note(relay: Relay): void {
    this.#streams.add(relay)
    if (this.#isEnding) setImmediate(() => relay.cut())
  }
}

/** Serializes a body that was parsed as JSON. Returns undefined for any other body, which is still a stream. */
function bodyOf({ body }: FastifyRequest): string | null | undefined {
  if (body instanceof Readable) return undefined
  return body === undefined || body === null ? null : JSON.stringify(body)
}

function isLong({ route }: FastifyRequest): boolean {
  return route?.operation?.long === true || route?.long === true
}

function isEventStream(headers: AnswerHeaders): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream')
}

function isSocket(headers: AnswerHeaders): boolean {
  return headers['sec-websocket-accept'] !== undefined
}
