import type http from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { Endpoint } from './endpoints.ts'

/** How long to wait for a connection before the next member is tried. */
export const connectMs = 2_000
const maxAnswerBytes = 32 * 1024 * 1024

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Readable
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** Thrown when no connection came about, so that the request certainly had no effect. */
export class NotConnected extends Error {}

/** Sends one request over one endpoint. Rejects if there is no complete answer. */
export function exchange(
  { url, agent, request: open }: Endpoint,
  { method, path, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  const request = open(new URL(path, url), { method, agent, signal, ...(headers && { headers }) })
  let isConnected = false
  const connecting = setTimeout(() => {
    if (!isConnected) request.destroy(new Error(`no connection within ${connectMs / 1000} s`))
  }, connectMs)
  request.once('socket', socket => {
    const connected = () => {
      isConnected = true
      clearTimeout(connecting)
    }
    if (request.reusedSocket) connected()
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected)
  })
  request.once('error', error => {
    clearTimeout(connecting)
    reject(isConnected ? error : new NotConnected(error.message, { cause: error }))
  })
  let hasAnswer = false
  request.once('response', response => {
    hasAnswer = true
    receive(response).then(resolve, reject)
  })
  if (body === undefined || typeof body === 'string') request.end(body)
  // A refusal may arrive before the whole content was sent. The answer says more than the broken pipe.
  else pipeline(body, request, error => error && !hasAnswer && request.destroy(error))
  return promise
}

async function receive(response: http.IncomingMessage): Promise<HttpAnswer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response) {
    bytes += piece.length
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long')
    pieces.push(piece)
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }
}
