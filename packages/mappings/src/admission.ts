import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { cookieOf, cookiesNamed } from './cookies.ts'
import { normalizeHost } from './names.ts'

/** The names of the headers and query parameters that carry a token. */
export interface TokenNames {
  readonly headers: readonly string[]
  readonly parameters: readonly string[]
}

/** Published clients use the first name, and the other is our own. */
export const mappingTokens: TokenNames = {
  headers: ['x-gateway-access-token', 'x-sandglass-mapping-token'],
  parameters: ['x-gateway-access-token', 'sandglass_token'],
}

/** The parts of a request that decide whether it is admitted. */
type Asked = Pick<IncomingMessage, 'method' | 'headers' | 'url'>

/** What happens to a request before anything inside the sandbox sees it. */
export type Admission =
  /** The request is forwarded to the sandbox with this URL. */
  | { readonly kind: 'pass'; readonly holder: string; readonly url: string }
  /**
   * A person opened the URL with its token. The browser stores the token as a cookie and repeats the request without
   * it.
   */
  | { readonly kind: 'enter'; readonly holder: string; readonly location: string; readonly cookie: string }
  /**
   * A page of another origin asks whether it may send the token header. It may, since the token itself is what
   * authorizes.
   */
  | { readonly kind: 'preflight' }

/**
 * Checks that a request carries the mapping's token. The header is meant for programs, the query parameter for a link
 * that a person opens once, and the cookie for the browser's later requests. If one of them is wrong, a correct one
 * elsewhere does not make up for it. `holderOf` returns the credential that a token belongs to, or undefined if the
 * token is wrong.
 */
export function admit(
  request: Asked,
  holderOf: (token: string) => string | undefined,
  isSecure: boolean,
  names: TokenNames,
): Admission {
  const { method, headers } = request
  const url = request.url ?? '/'
  const sent = names.headers.flatMap(name => headers[name] ?? [])
  if (sent.length > 0) return { kind: 'pass', holder: holderOfAll(sent, holderOf), url }
  if (names.parameters.some(name => url.includes(name))) {
    const { rest, given } = withoutToken(url, names.parameters)
    const [token] = given
    if (token !== undefined) {
      const holder = holderOfAll(given, holderOf)
      const opens = (method === 'GET' || method === 'HEAD') && headers.upgrade === undefined
      if (!opens) return { kind: 'pass', holder, url: rest }
      return { kind: 'enter', holder, location: onThisHost(rest), cookie: cookieOf(token, isSecure) }
    }
  }
  for (const token of cookiesNamed(headers.cookie)) {
    const holder = holderOf(token)
    if (holder === undefined) continue
    requireOwnOrigin(request)
    return { kind: 'pass', holder, url }
  }
  if (method === 'OPTIONS' && asksForTokenHeader(request, names.headers)) return { kind: 'preflight' }
  throw new ApiError('mapping.UNAUTHORIZED')
}

/** All of the tokens must be right and belong to the same credential. */
function holderOfAll(tokens: readonly string[], holderOf: (token: string) => string | undefined): string {
  const [holder, ...others] = new Set(tokens.map(holderOf))
  if (holder === undefined || others.length > 0) throw new ApiError('mapping.UNAUTHORIZED')
  return holder
}

/**
 * Browsers also send the cookie for pages of a sibling mapping, which may belong to another sandbox. Such a page must
 * not act in this one's name.
 */
function requireOwnOrigin(request: Asked): void {
  const { origin, host } = request.headers
  if (origin === undefined) {
    requireOwnSite(request)
    return
  }
  if (URL.canParse(origin) && normalizeHost(new URL(origin).host) === normalizeHost(host ?? '')) return
  throw new ApiError('mapping.UNAUTHORIZED', {
    message: `A page of another origin (${origin}) is not admitted by the cookie.`,
  })
}

/**
 * Browsers send no Origin with GETs for images, scripts, frames and the like, but they say in Sec-Fetch-Site where the
 * request began. Opening the page as a whole by a link is allowed, because the page that has the link sees nothing of
 * it. Programs that are not browsers send neither header.
 */
function requireOwnSite({ method, headers }: Asked): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  const isRead = method === 'GET' || method === 'HEAD'
  const isOpenedByLink =
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers.upgrade === undefined
  if (isRead && isOpenedByLink) return
  throw new ApiError('mapping.UNAUTHORIZED', {
    message: 'A page of another origin is not admitted by the cookie.',
  })
}

function asksForTokenHeader({ headers }: Asked, names: readonly string[]): boolean {
  const asked = (headers['access-control-request-headers'] ?? '').toLowerCase().split(/\s*,\s*/)
  return headers.origin !== undefined && names.some(name => asked.includes(name))
}

/** Removes the token parameters and leaves every other byte of the URL unchanged. */
function withoutToken(
  url: string,
  names: readonly string[],
): { readonly rest: string; readonly given: readonly string[] } {
  const [path = '', query = ''] = splitOnce(url, '?')
  const [given, others] = [[] as string[], [] as string[]]
  for (const part of query.split('&')) {
    const [name, value = ''] = splitOnce(part, '=')
    if (names.includes(name)) given.push(value)
    else others.push(part)
  }
  return { rest: others.length > 0 ? `${path}?${others.join('&')}` : path, given }
}

/** A path that starts with two slashes would redirect to another host. */
function onThisHost(url: string): string {
  return url.replace(/^[/\\]+/, '/')
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
