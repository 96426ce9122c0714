import { ApiError, type ErrorCode } from '@sandglass/protocol'
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

/**
 * What is answered with a 5xx although the service does what it should: an image is still being built, the host is full, or a
 * program in a machine does not answer. It is logged without a stack, and not as an error.
 */
const expected: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'machine.NOT_READY',
  'machine.NO_CAPACITY',
  'sandbox.WAKING',
  'mapping.NOT_RUNNING',
  'mapping.NOT_LISTENING',
  'mapping.BAD_ANSWER',
  'mapping.TIMEOUT',
  'mapping.BUSY',
  'tunnel.NOT_LISTENING',
  'tunnel.RESET',
  'live.FULL',
  'live.CLOSING',
])

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
  if (known.status >= 500 && !reply.raw.destroyed) logFailure(known, error, request)
  if (request.attemptedOn !== undefined || audited.has(known.status)) request.refusedWith = known.code
  if (known.retryAfter !== undefined) reply.header('retry-after', known.retryAfter)
  return known
}

function logFailure(
  known: ApiError,
  error: unknown,
  { id: requestId, log, routeOptions }: FastifyRequest,
): void {
  // What is wrong when the service is not ready is logged where it is noticed, and not each time that somebody asks.
  const isExpected = expected.has(known.code) || routeOptions.url === '/readyz'
  if (isExpected) log.info({ requestId, reason: known.message }, known.code)
  else log.error({ requestId, error }, known.code)
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
