import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { ApiError } from '@sandglass/protocol'
import { buildConnector } from 'undici'
import type { DiallableNetworks } from './networks.ts'

/** Finds the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

const connectTimeoutMs = 5000

/** Opens connections to diallable addresses alone: a name is resolved once, checked, and the answer is what is dialled. */
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
    // An address in the URL itself is dialled without a lookup.
    const literal = options.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(literal) && !networks.has(literal)) done(forbidden(options.hostname), null)
    else dial(options, done)
  }
}

/** Does not tell the address, which would map the operator's network for whoever asks. */
function forbidden(hostname: string): ApiError {
  return new ApiError('outbound.FORBIDDEN', {
    message: `${hostname} points to a private or reserved network, which the service does not call.`,
  })
}
