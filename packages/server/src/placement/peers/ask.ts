import type { Client } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import { faultOf } from './faults.ts'
import type { Peer } from './peer.ts'

/** A request that this process itself sends to another one. */
export interface PeerRequest {
  readonly path: string
  readonly body: unknown
  readonly signal: AbortSignal
  /** The timeout for the response headers; unlimited by default. */
  readonly headTimeoutMs?: number
}

/** The caller's headers that the peer needs to authenticate the call and to recognize a repeat. */
const callerHeaders = ['authorization', 'x-api-key', 'x-trial-session-token', 'cookie', 'idempotency-key']

/**
 * Sends a request to a peer on behalf of the caller of another request, with the caller's credential. An error response of
 * the peer is thrown as an ApiError.
 */
export async function ask(
  peer: Peer,
  { id, headers }: FastifyRequest,
  client: Client,
  { path, body, signal, headTimeoutMs = 0 }: PeerRequest,
): Promise<unknown> {
  const own = callerHeaders.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [name, value] : []
  })
  const answer = await peer.pool
    .request({
      method: 'POST',
      path: peer.urlOf(path),
      headers: [
        ...own,
        'content-type',
        'application/json',
        'x-request-id',
        id,
        ...peer.mark('POST', path, client),
      ],
      body: JSON.stringify(body),
      headersTimeout: headTimeoutMs,
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
