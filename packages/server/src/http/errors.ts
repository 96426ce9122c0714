import { ApiError } from '@sandglass/protocol'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asApiError } from '../db/faults.ts'

/** Maps the error codes of Fastify to ours. */
const fastifyErrors: Readonly<Record<string, ConstructorParameters<typeof ApiError>>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['request.BODY_TOO_LARGE'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['request.UNSUPPORTED_MEDIA_TYPE'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['request.MALFORMED_JSON'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['request.MALFORMED_JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['request.MALFORMED'],
  FST_ERR_BAD_URL: ['request.MALFORMED', { message: 'The path is not properly percent-encoded.' }],
}

/** The statuses with which a refused change is recorded in the audit log. */
const audited = new Set([403, 404, 409, 500, 503])

/** Sends every error as an entry of the error table, in JSON, with the id of its request. */
export function addErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError)
}

/** Also handles errors that occur before a route is found. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = noteError(error, request, reply)
  reply
    .code(known.status)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ ...known.toJSON(), requestId: request.id }))
}

/** Converts an error to an entry of the error table, logs it if it is the service's fault, and notes it for the audit log. */
export function noteError(error: unknown, request: FastifyRequest, reply: FastifyReply): ApiError {
  const known = toApiError(error)
  // An error that follows from the caller's disconnecting is not logged.
  if (known.status >= 500 && !reply.raw.destroyed)
    request.log.error({ requestId: request.id, error }, known.code)
  if (request.attemptedOn !== undefined || audited.has(known.status)) request.refusedWith = known.code
  if (known.retryAfter !== undefined) reply.header('retry-after', known.retryAfter)
  return known
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const mapped = fastifyErrors[(error as Partial<FastifyError>)?.code ?? '']
  if (mapped) return new ApiError(...mapped)
  // Fastify may refuse a request for reasons that are not in the table, and that is not an error of the service.
  if (isRefusalOfFastify(error)) return new ApiError('request.MALFORMED', { cause: error })
  return asApiError(error) ?? new ApiError('service.INTERNAL', { cause: error })
}

function isRefusalOfFastify(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return false
  return String(error.code).startsWith('FST_') && Number(error.statusCode) < 500
}
