import { Readable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readText } from './read-text.ts'

const maxBytes = 1024 * 1024

/**
 * Accepts only JSON bodies, except for operations that accept a stream. An empty body counts as no body, whatever its
 * content type, because published clients send that.
 */
export function addJsonBody(app: FastifyInstance, timeoutMs?: number): void {
  const limits = { maxBytes, ...(timeoutMs !== undefined && { timeoutMs }) }
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, body, done) =>
    readText(body, limits, (error, text = '') => {
      if (error) return done(error)
      if (text.trim() === '') return done(null, undefined)
      parse(request, text, (error, value) =>
        error ? done(new ApiError('request.MALFORMED_JSON', { cause: error })) : done(null, value),
      )
    }),
  )
}

/** Passes bodies of any type and size through as a stream, which the operation reads. */
export function passBodiesThrough(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, stream, done) => done(null, stream))
}

/** Returns the body of a request whose operation accepts a stream, or an empty stream if there is none. */
export function streamOf({ body }: FastifyRequest): Readable {
  return body instanceof Readable ? body : Readable.from([])
}
