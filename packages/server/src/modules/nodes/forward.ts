import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { ApiError } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { nodeUrl } from './store.ts'

/** Tells a process that a request was passed on to it already, so that it is not passed on again. */
export const passedOn = 'x-sandglass-forwarded'

const credentials = ['authorization', 'x-api-key', 'x-trial-session-token']

/** What of a request the other process needs: who calls, and what was sent. */
const requestHeaders = [
  ...credentials,
  ...['content-type', 'accept', 'idempotency-key', 'last-event-id'],
  ...['mcp-session-id', 'mcp-protocol-version'],
  ...['range', 'if-range', 'if-none-match', 'if-modified-since'],
]

/** What of an answer belongs to this connection, or is set by this process itself. */
const ownHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date', 'x-request-id'])

/** For the head of the answer, unless the operation may take long; its body may stream for as long as it likes. */
const timeoutMs = 9000
const retrySeconds = 5

/**
 * Passes a call on to the process that has the machine, and its answer back; 503 where that one is gone. A stream of
 * events, which may have no end, is broken off when this process stops.
 */
export async function forward(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  nodeId: string | null,
  closing?: AbortSignal,
): Promise<FastifyReply> {
  const url = await nodeUrl(db, nodeId)
  if (url === undefined || request.headers[passedOn]) throw gone()
  const answer = await send(url + request.url, request, reply, closing)
  // What is no operation may have errors of its own, which pass as they are.
  if (answer.status >= 400 && request.routeOptions.config.operation) throw await ApiError.from(answer)
  for (const [name, value] of answer.headers) if (!ownHeaders.has(name)) reply.header(name, value)
  // A stream without content leaves the length that a HEAD tells as it is.
  const empty = request.method === 'HEAD' ? Readable.from([]) : ''
  return reply.code(answer.status).send(answer.body ? Readable.fromWeb(answer.body as ReadableStream) : empty)
}

async function send(
  url: string,
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal | undefined,
): Promise<Response> {
  const { operation } = request.routeOptions.config
  const stop = new AbortController()
  reply.raw.once('close', () => stop.abort())
  const late = operation?.long ? undefined : setTimeout(() => stop.abort(), timeoutMs)
  try {
    return await fetch(url, {
      method: request.method,
      headers: { ...kept(request, requestHeaders), [passedOn]: '1', 'x-request-id': request.id },
      ...bodyOf(request),
      redirect: 'error',
      signal:
        closing && (!operation || operation.answers) ? AbortSignal.any([stop.signal, closing]) : stop.signal,
    })
  } catch (cause) {
    throw gone(cause)
  } finally {
    clearTimeout(late)
  }
}

/** JSON was parsed on its way in; everything else is still a stream, which Node's own fetch takes and a browser's does not. */
function bodyOf({ body }: FastifyRequest): object {
  if (body === undefined || body === null) return {}
  return body instanceof Readable ? { body, duplex: 'half' } : { body: JSON.stringify(body) }
}

/** Who calls, as the other process will be told. */
export function credentialHeaders(request: FastifyRequest): Record<string, string> {
  return kept(request, credentials)
}

function kept({ headers }: FastifyRequest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    }),
  )
}

/** The process that has the machine is not there. */
export function gone(cause?: unknown): ApiError {
  return new ApiError('node.GONE', { retryAfter: retrySeconds, cause })
}
