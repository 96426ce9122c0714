import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Converts a request for the MCP library, without the body, which is passed to the library already parsed. */
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

/** Fastify sets these headers itself, because they describe the connection and not the response. */
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

/** A JSON-RPC error that is not a response to a particular request. */
export function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}

/** The response to notifications, which have no result. */
export function accepted(): Response {
  return new Response(null, { status: 202 })
}
