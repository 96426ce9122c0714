import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readText } from '../../http/read-text.ts'

/** Files that a model writes are in it. */
const maxBytes = 4 * 1024 * 1024

/** A body that is JSON. */
class JsonBody {
  readonly json: unknown

  constructor(json: unknown) {
    this.json = json
  }
}

/** In this scope a body that is no JSON is left to the protocol, which has an error of its own for it. */
export function addProtocolBody(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('remove', 'remove')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', (request, body, done) =>
    readText(body, { maxBytes }, (error, text = '') =>
      error
        ? done(error)
        : parse(request, text, (error, json) => done(null, error ? undefined : new JsonBody(json))),
    ),
  )
}

/** Undefined where the body is no JSON, or there is none. */
export function bodyOf({ body }: FastifyRequest): JsonBody | undefined {
  return body instanceof JsonBody ? body : undefined
}
