import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** Tells the requests of this process from those of every other; the rest of an id counts them. */
const ownRequests = randomBytes(9).toString('base64url')
let requests = 0

/** An id that a proxy gave the request, where it is a plain one; else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && /^[\w.-]{8,64}$/.test(given)) return given
  return `${ownRequests}-${(requests++).toString(36)}`
}

/**
 * A change or a failure leaves a line, without its query or its headers; a read
 * that went well leaves one only at the level debug, since metrics count it anyway.
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
