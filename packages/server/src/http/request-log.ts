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

/** How many refused requests of unknown callers are logged per minute. */
const maxRefusalLines = 100

/**
 * Logs changes and failures, without their query or headers. A successful read is logged only at the level debug,
 * since the metrics count it anyway. Anybody can send requests that are refused, so those of callers without a valid
 * credential are limited: they must not fill the disk or displace other lines.
 */
export function addRequestLog(app: FastifyInstance, log: Logger): void {
  const refusals = new RefusalLines(log)
  app.answers.onAnswer((request, reply, ms) => {
    const level = levelOf(request, reply, refusals)
    if (log.isLevelEnabled(level)) log[level](describe(request, reply, ms), 'request')
  })
}

function levelOf(request: FastifyRequest, reply: FastifyReply, refusals: RefusalLines): 'debug' | 'info' {
  const { statusCode: status } = reply
  if (status < 400) return isRead(request) ? 'debug' : 'info'
  if (status >= 500 || request.principal) return 'info'
  return refusals.take() ? 'info' : 'debug'
}

/** Counts the lines about refused requests of unknown callers, and reports how many were left out. */
class RefusalLines {
  readonly #log: Logger
  #endsAt = 0
  #count = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /** Returns true if another line may be written in this minute. */
  take(now = performance.now()): boolean {
    if (now >= this.#endsAt) {
      const omitted = this.#count - maxRefusalLines
      if (omitted > 0) this.#log.info({ omitted }, 'refused requests of unknown callers were not logged')
      this.#endsAt = now + 60_000
      this.#count = 0
    }
    return ++this.#count <= maxRefusalLines
  }
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
