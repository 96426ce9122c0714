import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readText } from '../../http/read-text.ts'

/** A body can contain a whole file that a model writes, so the limit is above that of other requests. */
const maxBytes = 4 * 1024 * 1024

/** Wraps parsed JSON, so that the JSON value `null` can be told apart from a body that did not parse. */
class JsonBody {
  readonly json: unknown

  constructor(json: unknown) {
    this.json = json
  }
}

/** Accepts a body that is not JSON in this scope, because JSON-RPC defines its own parse error for it. */
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

/** Returns undefined if the body is missing or is not JSON. */
export function bodyOf({ body }: FastifyRequest): JsonBody | undefined {
  return body instanceof JsonBody ? body : undefined
}
