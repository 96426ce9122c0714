import { ApiError } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/database.ts'
import { forward, passedOn } from '../modules/nodes/forward.ts'

/** Failures to connect: the request was never sent, so nothing was made. */
const unreached = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Another process has chosen this node for the create, so it is done here or nowhere. */
export function isPlaced(request: FastifyRequest): boolean {
  return request.headers[passedOn] !== undefined
}

/**
 * Has a create done by the node that was chosen, which does all of it: authentication, idempotency, quota and audit. Fails with node.GONE
 * only where the node cannot have made anything; otherwise the outcome is unknown, and another node must not be tried.
 */
export async function sendCreate(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  nodeId: string,
): Promise<FastifyReply> {
  try {
    return await forward(db, request, reply, nodeId)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'node.GONE' || isUnreached(error.cause)) throw error
    throw new ApiError('service.OUTCOME_UNKNOWN', {
      message: 'The node that was chosen did not confirm the create: it may or may not have been made.',
      cause: error,
    })
  }
}

/** Undefined where there was no URL to send it to. */
function isUnreached(cause: unknown): boolean {
  if (cause === undefined) return true
  if (!(cause instanceof Error)) return false
  if ('code' in cause && typeof cause.code === 'string' && unreached.has(cause.code)) return true
  return cause.cause !== undefined && isUnreached(cause.cause)
}
