import { ApiError, Sandbox } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import { headTimeoutMs } from './peers/peer.ts'
import type { Peers } from './peers/peers.ts'

/** Failures to connect: the request was never sent, so nothing was made. */
const connectFailureCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Another process has chosen this node for the create, so it is done here or nowhere. */
export function isPlaced(peers: Peers, request: FastifyRequest): boolean {
  return peers.markOf(request.raw).kind !== 'none'
}

/**
 * Has the chosen node do a create, with all that belongs to it: authentication, idempotency, quota and audit. Fails with
 * node.GONE only if the node cannot have made anything. Otherwise the outcome is unknown, and another node must not be
 * tried.
 */
export async function sendCreate(
  peers: Peers,
  request: FastifyRequest,
  signal: AbortSignal,
  nodeId: string,
): Promise<Sandbox> {
  const { url: path, body } = request
  try {
    return Sandbox.parse(await peers.ask(request, nodeId, { path, body, signal, headTimeoutMs }))
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

/** The cause is undefined if there was no address to send the create to. */
function isConnectFailure(cause: unknown): boolean {
  if (cause === undefined) return true
  if (!(cause instanceof Error)) return false
  if ('code' in cause && typeof cause.code === 'string' && connectFailureCodes.has(cause.code)) return true
  return cause.cause !== undefined && isConnectFailure(cause.cause)
}
