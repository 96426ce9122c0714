import { ApiError } from '@sandglass/protocol'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asApiError } from '../db/faults.ts'

/** Errors of Fastify's own, as ours. */
const framework: Readonly<Record<string, ConstructorParameters<typeof ApiError>>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['request.BODY_TOO_LARGE'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['request.UNSUPPORTED_MEDIA_TYPE'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['request.MALFORMED_JSON'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['request.MALFORMED_JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['request.MALFORMED'],
  FST_ERR_BAD_URL: ['request.MALFORMED', { message: 'The path is not properly percent-encoded.' }],
}

/** Outcomes that are worth a line in the audit log when a change was asked for. */
const audited = new Set([403, 404, 409, 500, 503])

/** Every error leaves as one of the table, in JSON, with the id of its request. */
export function addErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError)
}

/** Also for errors that come before a route is found. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toApiError(error)
  // Nobody is there to hear of it where the caller went away.
  if (known.status >= 500 && !reply.raw.destroyed)
    request.log.error({ requestId: request.id, error }, known.code)
  if (request.isAttempted || audited.has(known.status)) request.refusedWith = known.code
  if (known.retryAfter !== undefined) reply.header('retry-after', known.retryAfter)
  reply
    .code(known.status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...known.toJSON(), requestId: request.id }))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const mapped = framework[(error as Partial<FastifyError>)?.code ?? '']
  if (mapped) return new ApiError(...mapped)
  return asApiError(error) ?? new ApiError('service.INTERNAL', { cause: error })
}
