import type { IncomingMessage } from 'node:http'
import proxyaddr from '@fastify/proxy-addr'

/** The sender of a request, as far as its headers can be trusted. */
export interface Client {
  readonly address: string
  readonly protocol: 'http' | 'https'
}

/** Determines the sender of a request. Forwarding headers are believed only if they come from a trusted proxy. */
export type Clients = (request: IncomingMessage) => Client

export function clientsBehind(proxies: readonly string[]): Clients {
  const isProxy = proxies.length > 0 ? proxyaddr.compile([...proxies]) : () => false
  return request => {
    const { socket, headers } = request
    const remote = socket.remoteAddress ?? ''
    const own = 'encrypted' in socket ? 'https' : 'http'
    if (!isProxy(remote, 0)) return { address: remote, protocol: own }
    const address = proxyaddr(request, isProxy)
    const said = headers['x-forwarded-proto']
    return { address, protocol: said === 'https' || said === 'http' ? said : own }
  }
}
