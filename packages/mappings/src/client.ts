import type { IncomingMessage } from 'node:http'
import proxyaddr from '@fastify/proxy-addr'

/** The sender of a request, as far as its headers can be trusted. */
export interface Client {
  readonly address: string
  readonly protocol: 'http' | 'https'
}

/**
 * Determines the sender of a request. Forwarding headers are believed only if they come from a trusted peer or proxy.
 */
export type Clients = (request: IncomingMessage, isPeer: boolean) => Client

export function clientsBehind(proxies: readonly string[]): Clients {
  const isProxy = proxies.length > 0 ? proxyaddr.compile([...proxies]) : () => false
  return (request, isPeer) => {
    const { socket, headers } = request
    const remote = socket.remoteAddress ?? ''
    const own = 'encrypted' in socket ? 'https' : 'http'
    if (!isPeer && !isProxy(remote, 0)) return { address: remote, protocol: own }
    // A process of the service that forwards a request is the first hop and reports the address behind it.
    const address = proxyaddr(request, (hop, i) => (isPeer && i === 0) || isProxy(hop, i))
    const said = headers['x-forwarded-proto']
    return { address, protocol: said === 'https' || said === 'http' ? said : own }
  }
}
