import type { ErrorDefinition } from './definition.ts'

/** Errors of requests that are refused before an operation runs. */
export const requestErrors = {
  'request.INVALID': {
    status: 400,
    message: 'The request is not valid.',
    hint: 'Fix the fields listed in issues.',
  },
  'request.MALFORMED': {
    status: 400,
    message: 'The request is not well-formed.',
    hint: 'Fix the URL, the headers or the framing of the request.',
  },
  'request.MALFORMED_JSON': {
    status: 400,
    message: 'The body is not valid JSON.',
    hint: 'Send a JSON document encoded as UTF-8, or no body.',
  },
  'request.HOST_NOT_ALLOWED': {
    status: 403,
    message: 'The service does not accept requests for this Host.',
    hint: 'Use localhost or SANDGLASS_PUBLIC_URL, or add the host to SANDGLASS_ALLOWED_HOSTS.',
  },
  'request.ORIGIN_NOT_ALLOWED': {
    status: 403,
    message: 'Web pages from this Origin are not allowed to call the service.',
    hint: "Call it from outside a browser or from the service's own pages, or add the origin to SANDGLASS_CORS_ORIGINS.",
  },
  'request.HEADERS_TOO_LARGE': {
    status: 431,
    message: 'The request headers are too large.',
    hint: 'Keep them below 16 KiB in total.',
  },
  'request.TIMEOUT': {
    status: 408,
    message: 'The request did not arrive in time.',
    hint: 'Send it again over a faster connection.',
  },
  'request.BODY_TOO_LARGE': {
    status: 413,
    message: 'The body is too large.',
    hint: 'Send a smaller body: operations accept up to 64 KiB, and those that carry texts, input or lists of files up to 1 MiB.',
  },
  'request.UNSUPPORTED_MEDIA_TYPE': {
    status: 415,
    message: 'The service does not accept a body of this content type.',
    hint: 'Send Content-Type: application/json.',
  },
  'request.UPGRADE_REQUIRED': {
    status: 426,
    message: 'This operation answers with a WebSocket, and the request did not ask for one.',
    hint: 'Connect with a WebSocket client (version 13), to the same URL with ws or wss.',
  },
  'route.NOT_FOUND': {
    status: 404,
    message: 'This path does not exist.',
    hint: 'See /openapi.json for a list of all operations.',
  },
  'route.METHOD_NOT_ALLOWED': {
    status: 405,
    message: 'This path does not support this method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  'auth.MISSING': {
    status: 401,
    message: 'The request has no credential.',
    hint: 'Send X-Api-Key, Authorization: Bearer or X-Trial-Session-Token.',
  },
  'auth.AMBIGUOUS': {
    status: 401,
    message: 'The request has more than one credential.',
    hint: 'Send exactly one of X-Api-Key, Authorization and X-Trial-Session-Token.',
  },
  'auth.INVALID': {
    status: 401,
    message: 'The credential is not valid: it is unknown, expired or revoked.',
    hint: 'Use a different one, or ask an admin of the organization for a new one.',
  },
  'auth.FORBIDDEN': {
    status: 403,
    message: 'The role of this credential does not allow this operation.',
    hint: 'Use a credential with the required role.',
  },
  'auth.OPERATOR_ONLY': {
    status: 403,
    message: 'Only the operator of the service may do this.',
    hint: "Use the operator's key.",
  },
  'auth.NOT_FOR_TRIALS': {
    status: 403,
    message: 'A trial session may not do this.',
    hint: 'Use an API key of the organization.',
  },
  'rate.LIMITED': {
    status: 429,
    message: 'This credential has sent too many requests.',
    hint: 'Wait for the number of seconds in Retry-After.',
  },
  'rate.TOO_MANY_FAILURES': {
    status: 429,
    message: 'This address has sent too many invalid credentials.',
    hint: 'Check the credential and wait for the number of seconds in Retry-After.',
  },
  'idempotency.KEY_REUSED': {
    status: 409,
    message: 'This Idempotency-Key was already used for a different request.',
    hint: 'Use a new key for a new request.',
  },
  'idempotency.IN_PROGRESS': {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress.',
    hint: 'Retry in a moment.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
