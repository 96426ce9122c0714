import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import { buildConnector } from 'undici'
import type { DiallableNetworks } from './networks.ts'

/** Resolves a host name to its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

const connectTimeoutMs = 5000

/**
 * Connects only to allowed addresses. A name is resolved once, and the address that was checked is the one that is
 * dialled, so DNS rebinding has no effect.
 */
export function checkedConnector(networks: DiallableNetworks, resolve: Resolve): buildConnector.connector {
  const lookup: LookupFunction = (hostname, { all }, done) => {
    resolve(hostname).then(
      found => {
        const diallable = found.filter(({ address }) => networks.has(address))
        const [first] = diallable
        if (!first) done(forbidden(hostname), '')
        else if (all) done(null, diallable)
        else done(null, first.address, first.family)
      },
      error => done(error, ''),
    )
  }
  const dial = buildConnector({ lookup, timeout: connectTimeoutMs, allowH2: false })
  return (options, done) => {
    // A URL that contains an IP address is dialled without a lookup, so check it here.
    const literal = literalAddress(options.hostname)
    if (literal !== undefined && !networks.has(literal)) done(forbidden(options.hostname), null)
    else dial(options, done)
  }
}

/** Returns the IP address that the host of a URL is, or undefined for a name. */
export function literalAddress(hostname: string): string | undefined {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(literal) ? literal : undefined
}

/** The message omits the address, which would let callers map the operator's network. */
export function forbidden(hostname: string): ApiError {
  return new ApiError('outbound.FORBIDDEN', {
    message: `${hostname} points to a private or reserved network or to this host, which the service does not call.`,
  })
}
