import { Readable } from 'node:stream'
import { createContextValues } from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { type Daemon, daemonKey, reachedKey } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { streamOf } from '../../../http/body.ts'

/** Answers a request with a method of the Connect protocol. A stream is sent as fast as the client reads it. */
export async function answerMethod(
  method: UniversalHandler,
  request: FastifyRequest,
  reply: FastifyReply,
  daemon: Daemon,
  { signal, closing }: { readonly signal: AbortSignal; readonly closing: AbortSignal },
): Promise<FastifyReply> {
  const contextValues = createContextValues().set(daemonKey, daemon)
  const { status, header, body } = await method({
    httpVersion: request.raw.httpVersion,
    method: request.method,
    url: `http://sandbox${method.requestPath}`,
    header: headersOf(request),
    body: streamOf(request),
    signal,
    contextValues,
  })
  if (status >= 500 && !contextValues.get(reachedKey))
    throw new ApiError('request.MALFORMED', { message: 'The message cannot be decoded.' })
  reply.code(status)
  header?.forEach((value, name) => {
    reply.header(name, value)
  })
  if (!body) return reply.send()
  if (method.method.methodKind !== 'server_streaming') return reply.send(await collected(body))
  // A connection that stays open after a stream which ends with the service would delay the shutdown.
  reply.raw.once('finish', () => {
    if (closing.aborted) request.raw.socket.end()
  })
  return reply.send(Readable.from(body, { objectMode: false }))
}

function headersOf({ headers }: FastifyRequest): Headers {
  const copy = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) copy.append(name, one)
  return copy
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}
