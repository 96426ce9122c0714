import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'

/** JSON is the one type of body; an empty one is none, whatever its type claims, as published clients expect. */
export function addJsonBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString()
    if (text.trim() === '') return done(null, undefined)
    parse(request, text, (error, value) =>
      error ? done(new ApiError('request.MALFORMED_JSON', { cause: error })) : done(null, value),
    )
  })
}
