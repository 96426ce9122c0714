import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'

/** Tells a process that a request was passed on to it already, so that it is not passed on again. */
const passedOn = 'x-sandglass-forwarded'

const timeoutMs = 9000
const retrySeconds = 5

/** Passes a call with an empty answer on to the process that has the machine; 503 where that one is gone. */
export async function forward(db: Database, request: FastifyRequest, nodeId: string | null): Promise<void> {
  const node = await db
    .selectFrom('nodes')
    .select('url')
    .where('id', '=', nodeId ?? '')
    .executeTakeFirst()
  if (!node?.url || request.headers[passedOn]) throw gone()
  const { authorization, 'x-api-key': apiKey, 'x-trial-session-token': trial } = request.headers
  const credential = Object.entries({ authorization, 'x-api-key': apiKey, 'x-trial-session-token': trial })
  const headers = Object.fromEntries(
    credential.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
  const answer = await fetch(node.url + request.url, {
    method: request.method,
    headers: { ...headers, [passedOn]: '1', 'x-request-id': request.id },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(cause => {
    throw gone(cause)
  })
  if (!answer.ok) throw await ApiError.from(answer)
}

function gone(cause?: unknown): ApiError {
  return new ApiError('node.GONE', { retryAfter: retrySeconds, cause })
}
