import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { tokenHeader } from './admission.ts'
import type { Client } from './client.ts'
import { hostOnly, withoutToken } from './cookies.ts'

/** Tells a process that another one forwarded the request to it; its value proves that. No guest gets to see it. */
export const peerHeader = 'x-sandglass-forwarded'

/** RFC 9110, section 7.6.1, and what older clients send: these belong to one connection. Trailers of a request too. */
export const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authorization', 'expect'],
])

/** What the gateway says itself, so that nobody says it in its place. */
const ours = new Set([
  ...['host', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
  ...['x-real-ip', tokenHeader, peerHeader],
])

/** Names and values by turns, as they go over the wire. */
export type HeaderList = string[]

/** The headers of a request as the guest gets them. */
export function toGuest(request: IncomingMessage, host: string, client: Client): HeaderList {
  return endToEnd(request, ['host', host, ...forwarded(request, client)])
}

/** The headers of an answer as the client gets them. */
export function toClient(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  target: string,
): HeaderList {
  const named = namedIn(headers['connection'])
  const kept: HeaderList = []
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || hopByHop.has(name) || named?.includes(name)) continue
    if (name === 'set-cookie') for (const cookie of hostOnly([value].flat())) kept.push(name, cookie)
    else if (name === 'location') kept.push(name, onThisHost(String(value), target))
    else if (typeof value === 'string') kept.push(name, value)
    else for (const one of value) kept.push(name, one)
  }
  return kept
}

/** A program that knows itself only by its own address sends people there. */
function onThisHost(location: string, target: string): string {
  const own = `http://${target}`
  return location.startsWith(`${own}/`) ? location.slice(own.length) : location
}

function forwarded({ headers }: IncomingMessage, { address, protocol }: Client): HeaderList {
  const host = headers.host ?? ''
  return ['x-forwarded-for', address, 'x-forwarded-host', host, 'x-forwarded-proto', protocol]
}

/** Adds what of a request goes further than its connection. */
function endToEnd({ rawHeaders, headers }: IncomingMessage, kept: HeaderList): HeaderList {
  const named = namedIn(headers.connection)
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const value = rawHeaders[i + 1] ?? ''
    if (name === 'host') hosts++
    if (hopByHop.has(name) || ours.has(name) || named?.includes(name)) continue
    const shown = name === 'cookie' ? withoutToken(value) : value
    if (shown !== undefined) kept.push(name, shown)
  }
  if (hosts > 1) throw new ApiError('request.MALFORMED', { message: 'The request has more than one Host.' })
  return kept
}

/** The header names in a Connection header, which go no further than it does; mostly there are none. */
export function namedIn(connection: string | string[] | undefined): string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return [connection]
    .flat()
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/)
}
