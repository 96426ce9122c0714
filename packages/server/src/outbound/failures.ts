import { ApiError } from '@sandglass/protocol'

/** Describes the error codes of Node and of undici. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name does not resolve right now',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it closed the connection',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  EPIPE: 'it closed the connection',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'it stopped in the middle of its answer',
  UND_ERR_HEADERS_OVERFLOW: 'the head of its answer is too large',
  HPE_HEADER_OVERFLOW: 'the head of its answer is too large',
  UND_ERR_SOCKET: 'it closed the connection',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'the content was not as long as announced; did it change meanwhile?',
}

/** Creates the error for a failed call. The message contains only the origin of the URL and the reason. */
export function failed(url: URL, reason: unknown): ApiError {
  const message = (said: string) => `${url.origin}: ${said}.`
  return typeof reason === 'string'
    ? new ApiError('outbound.FAILED', { message: message(reason) })
    : new ApiError('outbound.FAILED', { message: message(reasonOf(reason)), cause: reason })
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `the call failed${code && ` (${code})`}`
}

/** The status and headers of an answer, from either HTTP client. */
export interface Answer {
  readonly statusCode?: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Returns the URL that an answer redirects to, or undefined if it is not a redirect. */
export function redirectTarget(url: URL, { statusCode = 0, headers }: Answer): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof headers['location'] !== 'string')
    return undefined
  const next = URL.parse(headers['location'], url.href)
  if (!next) throw failed(url, 'it redirected to something that is no URL')
  return next.href
}
