import { Readable } from 'node:stream'
import { type AnswerHeaders, type Client, Relay } from '@sandglass/mappings'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { gone } from '../gone.ts'
import { faultOf } from './faults.ts'
import { headersFromPeer, headersToPeer } from './headers.ts'
import { headTimeoutMs, type Peer } from './peer.ts'

/** The peer is called by its own name and by nobody's page, and the id of the request stays the same. */
const dropped = new Set([
  ...['host', 'origin', 'access-control-request-method', 'access-control-request-headers', 'x-request-id'],
])
/** The length of a body that was parsed on its way in may have become another. */
const droppedWithBody = new Set([...dropped, 'content-length'])

/** Calls of the API that peers answer: the answer goes straight to the connection of the caller. */
export class ForwardedCalls {
  /** Those that would never end by themselves. */
  readonly #streams = new Set<Relay>()
  #isEnding = false

  /** Settles when the answer begins. */
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
      headTimeoutMs: request.route?.operation?.long ? undefined : headTimeoutMs,
      toClient: headers => {
        // Fastify's own way would copy the answer from stream to stream.
        request.server.answers.send(request, reply, reply.raw)
        resolve(reply.hijack())
        if (isEventStream(headers)) this.#note(relay)
        return headersFromPeer(headers, reply.getHeaders())
      },
      faultOf,
      refuse: reject,
      onUse: () => {},
      onEnd: () => {
        this.#streams.delete(relay)
        // Whether the peer did what it was asked is unknown, which the cause tells.
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

/** JSON was parsed on its way in; everything else is still a stream, and undefined here. */
function bodyOf({ body }: FastifyRequest): string | null | undefined {
  if (body instanceof Readable) return undefined
  return body === undefined || body === null ? null : JSON.stringify(body)
}

function isEventStream(headers: AnswerHeaders): boolean {
  return String(headers['content-type'] ?? '').startsWith('text/event-stream')
}
