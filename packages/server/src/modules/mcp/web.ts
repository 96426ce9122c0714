import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A request as the library takes it; its body goes beside it, parsed. */
export function webRequest(request: FastifyRequest, signal?: AbortSignal): Request {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
  )
  return new Request(`http://localhost${request.url}`, {
    method: request.method,
    headers,
    ...(signal && { signal }),
  })
}

/** What of an answer belongs to the connection, which is the framework's. */
const connectionHeaders = new Set(['connection', 'content-length', 'transfer-encoding'])

export async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (!connectionHeaders.has(name)) reply.header(name, value)
  if (!response.body) return reply.send()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  return reply.send(
    isStream ? Readable.fromWeb(response.body as ReadableStream) : Buffer.from(await response.arrayBuffer()),
  )
}

/** An error of the protocol that belongs to no request. */
export function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}

/** For what wants no answer. */
export function accepted(): Response {
  return new Response(null, { status: 202 })
}
