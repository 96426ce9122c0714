import type { IncomingMessage } from 'node:http'
import { ApiError } from '@sandglass/protocol'
import { tokenHeader } from './admission.ts'
import type { Client } from './client.ts'
import { hostOnly, withoutToken } from './cookies.ts'

/** Tells a process that another one passed the request on to it; its value proves that. */
export const peerHeader = 'x-sandglass-forwarded'

/** RFC 9110, section 7.6.1, and what older clients send: these belong to one connection. Trailers of a request too. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authorization', 'expect'],
])

/** What the gateway says itself, so that nobody says it in its place. */
const ours = new Set([
  ...['host', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
  ...['x-real-ip', tokenHeader, peerHeader],
])

/** The headers of a request as the guest gets them: names and values by turns. */
export function toGuest(request: IncomingMessage, host: string, client: Client): string[] {
  const kept = ['host', host, ...forwarded(request, client)]
  eachEndToEnd(request, (name, lower, value) => {
    if (ours.has(lower)) return
    const shown = lower === 'cookie' ? withoutToken(value) : value
    if (shown !== undefined) kept.push(name, shown)
  })
  return kept
}

/** As another process of the service gets them: with the token, which it asks for again, and a proof of who passes it on. */
export function toPeer(request: IncomingMessage, proof: string, client: Client): string[] {
  const kept = ['host', request.headers.host ?? '', peerHeader, proof, ...forwarded(request, client)]
  eachEndToEnd(request, (name, lower, value) => {
    if (!ours.has(lower) || lower === tokenHeader) kept.push(name, value)
  })
  return kept
}

/** The headers of an answer as the client gets them. */
export function toClient(
  headers: Record<string, string | string[] | undefined>,
  target: string,
): Record<string, string | string[] | undefined> {
  for (const name of namedIn(headers['connection'])) delete headers[name]
  for (const name of hopByHop) if (name in headers) delete headers[name]
  const { location, 'set-cookie': cookies } = headers
  if (cookies !== undefined) headers['set-cookie'] = hostOnly([cookies].flat())
  // A program that knows itself only by its own address sends people there.
  if (typeof location === 'string' && location.startsWith(`http://${target}/`))
    headers['location'] = location.slice(`http://${target}`.length)
  return headers
}

function forwarded({ headers }: IncomingMessage, { address, protocol }: Client): string[] {
  const host = headers.host ?? ''
  return ['x-forwarded-for', address, 'x-forwarded-host', host, 'x-forwarded-proto', protocol]
}

function eachEndToEnd(
  request: IncomingMessage,
  take: (name: string, lower: string, value: string) => void,
): void {
  const { rawHeaders, headers } = request
  const named = namedIn(headers.connection)
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const lower = name.toLowerCase()
    if (lower === 'host' && ++hosts > 1)
      throw new ApiError('request.MALFORMED', { message: 'The request has more than one Host.' })
    if (!hopByHop.has(lower) && !named.includes(lower)) take(name, lower, rawHeaders[i + 1] ?? '')
  }
}

/** The header names in a Connection header, which go no further than it does. */
function namedIn(connection: string | string[] | undefined): string[] {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return []
  return [connection]
    .flat()
    .join(',')
    .toLowerCase()
    .split(/[\s,]+/)
}
