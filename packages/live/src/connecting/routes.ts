import type { Connect } from '@sandglass/protocol'
import type { Link } from './link.ts'
import { openWebSocket } from './web-socket-link.ts'
import { openWebTransport } from './web-transport-link.ts'

/** Opens a link to a gateway over one transport and address. */
export type Route = (signal: AbortSignal) => Promise<Link>

type Address = Connect['gatewayAddresses'][number]

/** The routes that this browser supports, fastest first: over UDP a lost packet does not delay the ones after it. */
export function routesOf({ gatewayAddresses, certificateHashBase64 }: Connect): Route[] {
  const routes = (types: readonly string[], open: (address: Address) => Route) =>
    gatewayAddresses.filter(({ gatewayType }) => types.includes(gatewayType)).map(open)
  const hash = bytesOf(certificateHashBase64)
  return [
    ...('WebTransport' in globalThis && hash.length === 32
      ? routes(
          ['WEB_TRANSPORT'],
          address => signal => openWebTransport(urlOf('https', address), hash, signal),
        )
      : []),
    ...routes(['WEBSOCKET_SECURE'], address => signal => openWebSocket(urlOf('wss', address), signal)),
    ...routes(['WEBSOCKET'], address => signal => openWebSocket(urlOf('ws', address), signal)),
  ]
}

function urlOf(scheme: string, { address, port, path = '/' }: Address): string {
  const host = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
  return `${scheme}://${host}:${port}${path}`
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
