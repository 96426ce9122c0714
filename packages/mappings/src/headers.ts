import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { mappingTokens } from './admission.ts'
import type { Client } from './client.ts'
import { hostOnly, withoutToken } from './cookies.ts'
import type { Asked } from './entrance.ts'

/** Marks a request that another process of the service forwarded; its value proves that. Guests never see it. */
export const peerHeader = 'x-sandglass-forwarded'

/**
 * Headers that apply to a single connection: RFC 9110, section 7.6.1, and what older clients send. `expect` and
 * request trailers end here too.
 */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
  'expect',
])

/** Headers that the gateway sets itself, so clients cannot forge them. */
const ours = new Set([
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  peerHeader,
])

const tokenHeaders = new Set(mappingTokens.headers)

/** Whether a header carries the token of a mapping. */
export const isTokenHeader = (name: string) => tokenHeaders.has(name)

/** Headers with which a response changes what its client does at the whole origin, such as to store a cookie. */
const originWide: ReadonlySet<string> = new Set([
  'set-cookie',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'service-worker-allowed',
  'nel',
  'report-to',
  'reporting-endpoints',
])

/** Alternating names and values, as they go over the wire. */
export type HeaderList = string[]

/** The request headers for the guest, without those that it must not see. */
export function toGuest(
  request: IncomingMessage,
  host: string,
  client: Client,
  hides: Asked['hides'],
): HeaderList {
  return endToEnd(request, ['host', host, ...forwarded(request, client)], hides)
}

/** The response headers for the client. */
export function toClient(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  target: string,
  isSharedHost: boolean,
): HeaderList {
  const named = namedIn(headers['connection'])
  const kept: HeaderList = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || hopByHop.has(name) || named?.includes(name)) continue
    if (isSharedHost && originWide.has(name)) continue
    if (name === 'set-cookie') for (const cookie of hostOnly([value].flat())) kept.push(name, cookie)
    else if (name === 'location') kept.push(name, onThisHost(String(value), target))
    else if (typeof value === 'string') kept.push(name, value)
    else for (const one of value) kept.push(name, one)
  }
  return kept
}

/** Makes a redirect to the guest's own address relative, since clients cannot reach that address. */
function onThisHost(location: string, target: string): string {
  const own = `http://${target}`
  return location.startsWith(`${own}/`) ? location.slice(own.length) : location
}

function forwarded({ headers }: IncomingMessage, { address, protocol }: Client): HeaderList {
  const host = headers.host ?? ''
  return ['x-forwarded-for', address, 'x-forwarded-host', host, 'x-forwarded-proto', protocol]
}

/** Appends the end-to-end headers of a request. */
function endToEnd(
  { rawHeaders, headers }: IncomingMessage,
  kept: HeaderList,
  hides: Asked['hides'],
): HeaderList {
  const named = namedIn(headers.connection)
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const value = rawHeaders[i + 1] ?? ''
    if (name === 'host') hosts++
    if (hopByHop.has(name) || ours.has(name) || named?.includes(name) || hides(name, value)) continue
    const shown = name === 'cookie' ? withoutToken(value) : value
    if (shown !== undefined) kept.push(name, shown)
  }
  if (hosts > 1) throw new ApiError('request.MALFORMED', { message: 'The request has more than one Host.' })
  return kept
}

/** The header names listed in a Connection header, which must not be forwarded. Usually there are none. */
export function namedIn(connection: string | string[] | undefined): string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return [connection]
    .flat()
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/)
}
