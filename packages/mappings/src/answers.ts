import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ApiError } from '@sandglass/protocol'
import { type Admission, mappingTokens } from './admission.ts'

/** Responds with an error of the gateway itself, in the same form as errors of the API unless the status and the body are given. */
export function answerError(
  response: ServerResponse,
  error: ApiError,
  { status, body }: { readonly status: number; readonly body: string } = {
    status: error.status,
    body: JSON.stringify(error),
  },
): void {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(status === 401 && { 'www-authenticate': ['Sandglass-Mapping realm="mapping"'] }),
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
      // The rest of the request body may still be arriving, and nobody will read it.
      connection: 'close',
    })
    .end(body)
}

/** Redirects the browser to the same URL without the token, which it now keeps as a cookie. */
export function enter(
  response: ServerResponse,
  { location, cookie }: Extract<Admission, { kind: 'enter' }>,
): void {
  response
    .writeHead(303, {
      location,
      'set-cookie': cookie,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-length': 0,
    })
    .end()
}

/**
 * Allows the preflighted request. Whether a page may read the response is decided by the headers that the guest
 * sends.
 */
export function allowHeader(response: ServerResponse, headers: IncomingHttpHeaders): void {
  const method = headers['access-control-request-method'] ?? 'GET'
  response
    .writeHead(204, {
      'access-control-allow-origin': headers.origin ?? '*',
      'access-control-allow-methods': method,
      'access-control-allow-headers':
        headers['access-control-request-headers'] ?? mappingTokens.headers.join(', '),
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    })
    .end()
}
