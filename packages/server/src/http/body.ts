import { Readable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hasMoreValuesThan } from './json-values.ts'
import type { LoopTime } from './loop-time.ts'
import { readText } from './read-text.ts'

const maxBytes = 64 * 1024
const maxLargeBytes = 1024 * 1024
/** The largest body that anybody needs is a list of 1000 files with their headers. */
const maxValues = 20_000

export interface BodyParts {
  readonly loopTime?: LoopTime
  readonly timeoutMs?: number
}

/**
 * Accepts only JSON bodies, except for operations that accept a stream. An empty body counts as no body, whatever its
 * content type, because published clients send that. The time that parsing takes is charged to the caller.
 */
export function addJsonBody(app: FastifyInstance, { loopTime, timeoutMs }: BodyParts = {}): void {
  const timeout = { ...(timeoutMs !== undefined && { timeoutMs }) }
  const [limits, largeLimits] = [
    { maxBytes, ...timeout },
    { maxBytes: maxLargeBytes, ...timeout },
  ]
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, body, done) =>
    readText(body, request.route?.operation?.largeBody ? largeLimits : limits, (error, text = '') => {
      if (error) return done(error)
      if (text.trim() === '') return done(null, undefined)
      const from = performance.now()
      if (text.length > maxBytes && hasMoreValuesThan(maxValues, text))
        return done(
          new ApiError('request.BODY_TOO_LARGE', { message: `The body has more than ${maxValues} values.` }),
        )
      parse(request, text, (error, value) => {
        loopTime?.charge(request.principal, from)
        if (error) done(new ApiError('request.MALFORMED_JSON', { cause: error }))
        else done(null, value)
      })
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
