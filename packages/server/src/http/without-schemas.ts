import type { FastifyServerOptions } from 'fastify'

/**
 * Requests are parsed with zod, and no route has a schema of Fastify's, whose compilers it would otherwise load at every
 * start.
 */
export const withoutSchemas: FastifyServerOptions['schemaController'] = {
  compilersFactory: { buildValidator: refuse, buildSerializer: refuse },
}

function refuse(): never {
  throw new Error('A route has a schema of Fastify. Parse its requests with zod.')
}
