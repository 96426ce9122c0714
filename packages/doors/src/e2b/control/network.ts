import { isIPv4 } from 'node:net'
import { ApiError, type Egress } from '@sandglass/protocol'
import { z } from 'zod'

/** The whole internet, as clients write it. */
const allTraffic = '0.0.0.0/0'

const addresses = z.array(z.string().max(253)).max(100).optional()

/** Which destinations a sandbox may reach. */
export const Network = z.object({
  allowOut: addresses,
  denyOut: addresses,
  rules: z.record(z.string(), z.unknown()).nullish(),
  egressProxy: z.unknown().optional(),
})
export type Network = z.output<typeof Network>

export const NewNetwork = Network.extend({
  allowPublicTraffic: z.boolean().default(true),
  maskRequestHost: z.unknown().optional(),
  httpsPorts: z.unknown().optional(),
})
export type NewNetwork = z.output<typeof NewNetwork>

/**
 * Translates the network of a new sandbox. Ours is a list of what is allowed, so a list of what is denied is refused unless it
 * denies everything that is not allowed.
 */
export function egressOf(network: Network & Partial<NewNetwork>, hasInternet: boolean): Egress {
  requireSupported(network)
  const { allowOut = [], denyOut = [] } = network
  const deniesAll = denyOut.includes(allTraffic) || !hasInternet
  if (!deniesAll) {
    if (denyOut.length > 0)
      throw unsupported('denyOut', `must contain ${allTraffic}, since single destinations cannot be denied`)
    return 'internet'
  }
  if (allowOut.includes(allTraffic)) return 'internet'
  return allowOut.length === 0 ? 'none' : allowOut.map(ruleOf)
}

function ruleOf(destination: string) {
  const [address = ''] = destination.split('/')
  return isIPv4(address) ? { cidr: destination } : { host: destination.toLowerCase() }
}

/** Refuses what this service does not have, because a sandbox that ignores it would be less protected than asked. */
function requireSupported({
  rules,
  egressProxy,
  maskRequestHost,
  httpsPorts,
}: Network & Partial<NewNetwork>): void {
  if (rules && Object.keys(rules).length > 0) throw unsupported('rules', 'are not supported')
  if (egressProxy !== undefined && egressProxy !== null) throw unsupported('egressProxy', 'is not supported')
  if (maskRequestHost !== undefined) throw unsupported('maskRequestHost', 'is not supported')
  if (httpsPorts !== undefined) throw unsupported('httpsPorts', 'are not supported')
}

function unsupported(field: string, problem: string): ApiError {
  return new ApiError('request.INVALID', {
    message: `network.${field} ${problem}.`,
    fields: { issues: [{ path: `network.${field}`, message: problem }] },
  })
}
