import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { headTimeoutMs } from './peers/peer.ts'
import type { Peers } from './peers/peers.ts'

/** Errors of connecting. The request was never sent, so the node cannot have created anything. */
const connectFailureCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The call that creates something, as far as another node has to know it. */
export interface SentCreate {
  readonly request: FastifyRequest
  readonly signal: AbortSignal
  readonly sent: { readonly path: string; readonly body: unknown }
}

/** Whether another process has already chosen this node for the create, in which case no other node is tried. */
export function isPlaced(peers: Peers, request: FastifyRequest): boolean {
  return peers.markOf(request.raw).kind !== 'none'
}

/**
 * Sends a create to the chosen node, which also does its authentication, idempotency, quota and audit. It throws node.GONE
 * only if the node cannot have created anything. Otherwise the outcome is unknown, and no other node must be tried, since
 * the sandbox might then be created twice.
 */
export async function sendCreate<Answer extends z.ZodType>(
  peers: Peers,
  { request, signal, sent }: SentCreate,
  nodeId: string,
  answer: Answer,
): Promise<z.output<Answer>> {
  try {
    return answer.parse(await peers.ask(request, nodeId, { ...sent, signal, headTimeoutMs }))
  } catch (error) {
    const isOutcomeKnown =
      error instanceof ApiError && (error.code !== 'node.GONE' || isConnectFailure(error.cause))
    if (isOutcomeKnown || signal.aborted) throw error
    throw new ApiError('service.OUTCOME_UNKNOWN', {
      message: 'The chosen node did not confirm the create: the sandbox may or may not exist.',
      cause: error,
    })
  }
}

/** The cause is undefined if the node has no address, in which case nothing was sent either. */
function isConnectFailure(cause: unknown): boolean {
  if (cause === undefined) return true
  if (!(cause instanceof Error)) return false
  if ('code' in cause && typeof cause.code === 'string' && connectFailureCodes.has(cause.code)) return true
  return cause.cause !== undefined && isConnectFailure(cause.cause)
}
