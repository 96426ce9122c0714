import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { cookieOf, cookiesNamed } from './cookies.ts'
import { bare } from './names.ts'
import { isSame } from './tokens.ts'

export const tokenHeader = 'x-sandglass-mapping-token'
export const tokenParameter = 'sandglass_token'

/** What becomes of a request before anything in the sandbox hears of it. */
export type Admission =
  /** It goes on to the sandbox, with this URL. */
  | { readonly kind: 'pass'; readonly url: string }
  /** A person opened the URL with its token: the browser keeps it as a cookie and asks again without it. */
  | { readonly kind: 'enter'; readonly location: string; readonly cookie: string }
  /** A page of another origin asks whether it may send the token's header: it may, since the token is what counts. */
  | { readonly kind: 'preflight' }

/**
 * Whether a request carries the mapping's token. The header is meant for programs, the parameter for a link that a
 * person opens once, the cookie for what the browser asks after that. A wrong one is not made up for by another.
 */
export function admit(request: IncomingMessage, expected: string, isSecure: boolean): Admission {
  const { method, headers } = request
  const url = request.url ?? '/'
  const header = headers[tokenHeader]
  if (header !== undefined) {
    if (typeof header === 'string' && isSame(header, expected)) return { kind: 'pass', url }
    throw new ApiError('mapping.UNAUTHORIZED')
  }
  if (url.includes(tokenParameter)) {
    const { rest, given } = withoutToken(url)
    if (given !== undefined) {
      if (!isSame(given, expected)) throw new ApiError('mapping.UNAUTHORIZED')
      const opens = (method === 'GET' || method === 'HEAD') && headers.upgrade === undefined
      if (!opens) return { kind: 'pass', url: rest }
      return { kind: 'enter', location: onThisHost(rest), cookie: cookieOf(expected, isSecure) }
    }
  }
  if (cookiesNamed(headers.cookie).some(value => isSame(value, expected))) {
    requireOwnOrigin(request)
    return { kind: 'pass', url }
  }
  if (method === 'OPTIONS' && asksForTokenHeader(request)) return { kind: 'preflight' }
  throw new ApiError('mapping.UNAUTHORIZED')
}

/** A browser sends the cookie also for a page of a sibling mapping, which is another sandbox's: that one may not act. */
function requireOwnOrigin({ headers: { origin, host } }: IncomingMessage): void {
  if (origin === undefined) return
  if (URL.canParse(origin) && bare(new URL(origin).host) === bare(host ?? '')) return
  throw new ApiError('mapping.UNAUTHORIZED', {
    message: `A page of another origin (${origin}) is not let in by the cookie.`,
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

/** Takes the token's parameters out and leaves every other byte of the URL as it was. */
function withoutToken(url: string): { readonly rest: string; readonly given: string | undefined } {
  const [path = '', query = ''] = splitOnce(url, '?')
  const [ours, others] = [[] as string[], [] as string[]]
  for (const part of query.split('&')) (splitOnce(part, '=')[0] === tokenParameter ? ours : others).push(part)
  const [first] = ours
  const rest = others.length > 0 ? `${path}?${others.join('&')}` : path
  return { rest, given: first === undefined ? undefined : (splitOnce(first, '=')[1] ?? '') }
}

/** A path that began with two slashes would name another host. */
function onThisHost(url: string): string {
  return url.replace(/^[/\\]+/, '/')
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
