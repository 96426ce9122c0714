import type { Client } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import { faultOf } from './faults.ts'
import type { Peer } from './peer.ts'

/** What a process wants of another; the answer may take as long as it likes. */
export interface Asked {
  readonly path: string
  readonly body: unknown
  readonly signal: AbortSignal
}

const credentials = ['authorization', 'x-api-key', 'x-trial-session-token']

/** Has a peer do something for the caller of a request, who is known there by the same credential. */
export async function ask(
  peer: Peer,
  { id, headers }: FastifyRequest,
  client: Client,
  { path, body, signal }: Asked,
): Promise<unknown> {
  const own = credentials.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [name, value] : []
  })
  const answer = await peer.pool
    .request({
      method: 'POST',
      path: peer.urlOf(path),
      headers: [
        ...own,
        ...['content-type', 'application/json', 'x-request-id', id],
        ...peer.mark('POST', path, client),
      ],
      body: JSON.stringify(body),
      headersTimeout: 0,
      signal,
    })
    .catch(cause => {
      signal.throwIfAborted()
      throw faultOf(cause)
    })
  const retryAfter = answer.headers['retry-after']
  if (answer.statusCode >= 400)
    throw await ApiError.from(
      new Response(await answer.body.text(), {
        status: answer.statusCode,
        ...(typeof retryAfter === 'string' && { headers: { 'retry-after': retryAfter } }),
      }),
    )
  return answer.body.json()
}
