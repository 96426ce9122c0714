import type { Capabilities, Egress } from '@sandglass/machines/contract'
import { closedIpv4 } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'

interface Network {
  readonly first: number
  readonly last: number
}

/**
 * Throws unless every network is public or allowed by the operator, so that a sandbox cannot reach private networks.
 */
export function requireAllowed(egress: Egress, allowed: readonly string[]): void {
  if (typeof egress === 'string') return
  const allowedNetworks = allowed.map(networkOf)
  const reservedNetworks = closedIpv4.map(networkOf)
  egress.forEach((rule, index) => {
    // A host resolves to public addresses only.
    if ('host' in rule) return
    const { cidr } = rule
    const asked = networkOf(cidr)
    const isAllowed = allowedNetworks.some(({ first, last }) => first <= asked.first && asked.last <= last)
    if (isAllowed || !reservedNetworks.some(({ first, last }) => first <= asked.last && asked.first <= last))
      return
    throw new ApiError('request.INVALID', {
      message: `The request is not valid: egress.${index}.cidr: ${cidr} contains private or reserved addresses that the operator has not allowed.`,
      fields: {
        issues: [{ path: `egress.${index}.cidr`, message: 'contains private or reserved addresses' }],
      },
    })
  })
}

/** Throws if machines of a shape cannot be limited in this way. */
export function requireEnforced(egress: Egress, capabilities: Capabilities, shapeName: string): void {
  if (egress !== 'internet' && !capabilities.egress)
    throw new ApiError('request.INVALID', {
      message: `The request is not valid: egress: a ${shapeName} uses its own network, so its egress cannot be chosen; leave it out.`,
      fields: { issues: [{ path: 'egress', message: 'cannot be chosen for this shape' }] },
    })
  if (typeof egress === 'string' || capabilities.egressNames) return
  const index = egress.findIndex(rule => 'host' in rule)
  if (index >= 0)
    throw new ApiError('request.INVALID', {
      message: `The request is not valid: egress.${index}.host: a ${shapeName} can be limited to networks, not to names; use cidr, or another shape.`,
      fields: { issues: [{ path: `egress.${index}.host`, message: 'names cannot be used with this shape' }] },
    })
}

function networkOf(cidr: string): Network {
  const [address = '', bits = '32'] = cidr.split('/')
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  const first = Math.floor(value / size) * size
  return { first, last: first + size - 1 }
}
