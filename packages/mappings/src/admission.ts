import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { cookieOf, cookiesNamed } from './cookies.ts'
import { normalizeHost } from './names.ts'
import { isEqualConstantTime } from './tokens.ts'

export const tokenHeader = 'x-sandglass-mapping-token'
export const tokenParameter = 'sandglass_token'

/** What happens to a request before anything inside the sandbox sees it. */
export type Admission =
  /** The request is forwarded to the sandbox with this URL. */
  | { readonly kind: 'pass'; readonly url: string }
  /**
   * A person opened the URL with its token. The browser stores the token as a cookie and repeats the request without
   * it.
   */
  | { readonly kind: 'enter'; readonly location: string; readonly cookie: string }
  /**
   * A page of another origin asks whether it may send the token header. It may, since the token itself is what
   * authorizes.
   */
  | { readonly kind: 'preflight' }

/**
 * Checks that a request carries the mapping's token. The header is meant for programs, the query parameter for a link
 * that a person opens once, and the cookie for the browser's later requests. If one of them is wrong, a correct one
 * elsewhere does not make up for it.
 */
export function admit(request: IncomingMessage, expected: string, isSecure: boolean): Admission {
  const { method, headers } = request
  const url = request.url ?? '/'
  const header = headers[tokenHeader]
  if (header !== undefined) {
    if (typeof header === 'string' && isEqualConstantTime(header, expected)) return { kind: 'pass', url }
    throw new ApiError('mapping.UNAUTHORIZED')
  }
  if (url.includes(tokenParameter)) {
    const { rest, given } = withoutToken(url)
    if (given !== undefined) {
      if (!isEqualConstantTime(given, expected)) throw new ApiError('mapping.UNAUTHORIZED')
      const opens = (method === 'GET' || method === 'HEAD') && headers.upgrade === undefined
      if (!opens) return { kind: 'pass', url: rest }
      return { kind: 'enter', location: onThisHost(rest), cookie: cookieOf(expected, isSecure) }
    }
  }
  if (cookiesNamed(headers.cookie).some(value => isEqualConstantTime(value, expected))) {
    requireOwnOrigin(request)
    return { kind: 'pass', url }
  }
  if (method === 'OPTIONS' && asksForTokenHeader(request)) return { kind: 'preflight' }
  throw new ApiError('mapping.UNAUTHORIZED')
}

/**
 * Browsers also send the cookie for pages of a sibling mapping, which may belong to another sandbox. Such a page must
 * not act in this one's name.
 */
function requireOwnOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined) return
  if (URL.canParse(origin) && normalizeHost(new URL(origin).host) === normalizeHost(host ?? '')) return
  throw new ApiError('mapping.UNAUTHORIZED', {
    message: `A page of another origin (${origin}) is not admitted by the cookie.`,
  })
}

function asksForTokenHeader({ headers }: IncomingMessage): boolean {
  const asked = headers['access-control-request-headers'] ?? ''
  return (
    headers.origin !== undefined &&
    asked
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(tokenHeader)
  )
}

/** Removes the token parameters and leaves every other byte of the URL unchanged. */
function withoutToken(url: string): { readonly rest: string; readonly given: string | undefined } {
  const [path = '', query = ''] = splitOnce(url, '?')
  const [ours, others] = [[] as string[], [] as string[]]
  for (const part of query.split('&')) (splitOnce(part, '=')[0] === tokenParameter ? ours : others).push(part)
  const [first] = ours
  const rest = others.length > 0 ? `${path}?${others.join('&')}` : path
  return { rest, given: first === undefined ? undefined : (splitOnce(first, '=')[1] ?? '') }
}

/** A path that starts with two slashes would redirect to another host. */
function onThisHost(url: string): string {
  return url.replace(/^[/\\]+/, '/')
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
