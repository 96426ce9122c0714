import type { IncomingMessage } from 'node:http'
import proxyaddr from '@fastify/proxy-addr'

/** Who sent a request, as far as it can be believed. */
export interface Client {
  readonly address: string
  readonly protocol: 'http' | 'https'
}

/** Tells the sender of a request; headers about it are believed only from those who are trusted. */
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
