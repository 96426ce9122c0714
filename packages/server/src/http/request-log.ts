import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** Distinguishes the requests of this process from those of all others. The rest of an id is a counter. */
const processId = randomBytes(9).toString('base64url')
let requestCount = 0

/** Returns the request id that a proxy has set, if it is well-formed, or a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && /^[\w.-]{8,64}$/.test(given)) return given
  return `${processId}-${(requestCount++).toString(36)}`
}

/**
 * Logs changes and failures, without their query or headers. A successful read is logged only at the level debug,
 * since the metrics count it anyway.
 */
export function addRequestLog(app: FastifyInstance, log: Logger): void {
  app.answers.onAnswer((request, reply, ms) => {
    const level = reply.statusCode < 400 && isRead(request) ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) log[level](describe(request, reply, ms), 'request')
  })
}

function isRead({ method, route }: FastifyRequest): boolean {
  return method === 'GET' || route?.operation?.pure === true
}

function describe(request: FastifyRequest, reply: FastifyReply, ms: number): Record<string, unknown> {
  const [path] = request.url.split('?', 1)
  const { principal } = request
  return {
    requestId: request.id,
    method: request.method,
    path: request.route?.secretPath ? request.routeOptions.url : path,
    status: reply.statusCode,
    ms: Math.round(ms * 100) / 100,
    address: request.ip,
    ...(principal && { caller: `${principal.kind}:${principal.id}` }),
  }
}
