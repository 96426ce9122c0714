import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ApiError } from '@sandglass/protocol'
import { type Admission, tokenHeader } from './admission.ts'

/** An error of the gateway's own, as the API answers its own. */
export function answerError(response: ServerResponse, error: ApiError): void {
  const body = JSON.stringify(error)
  response
    .writeHead(error.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(error.status === 401 && { 'www-authenticate': ['Sandglass-Mapping realm="mapping"'] }),
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
      // A body that nobody will read is still on its way.
      connection: 'close',
    })
    .end(body)
}

/** Sends the browser to the same URL without the token, which it keeps as a cookie. */
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

/** Who may send the token's header may send the request with it; whether a page may read the answer is the guest's to say. */
export function allowHeader(response: ServerResponse, headers: IncomingHttpHeaders): void {
  const method = headers['access-control-request-method'] ?? 'GET'
  response
    .writeHead(204, {
      'access-control-allow-origin': headers.origin ?? '*',
      'access-control-allow-methods': method,
      'access-control-allow-headers': headers['access-control-request-headers'] ?? tokenHeader,
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    })
    .end()
}
