import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Lets pages of these origins call the API. A preflight response lists the methods that its path really has. */
export async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  const options: FastifyCorsOptions = {
    origin: [...origins],
    exposedHeaders: [
      'x-request-id',
      'x-next-cursor',
      'x-total-count',
      'x-sandglass-shell',
      'content-range',
      'retry-after',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'mcp-session-id',
      'mcp-protocol-version',
    ],
    maxAge: 600,
  }
  await app.register(cors, {
    delegator: (
      request: FastifyRequest,
      done: (error: Error | null, options: FastifyCorsOptions) => void,
    ) => {
      if (request.method !== 'OPTIONS') return done(null, options)
      const methods = app.unrouted.methodsOf(request.url)
      done(null, { ...options, methods, preflight: isPreflight(request) && methods.length > 0 })
    },
  })
}

/** Other OPTIONS requests are answered like any method that a path does not support. */
function isPreflight({ headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}
