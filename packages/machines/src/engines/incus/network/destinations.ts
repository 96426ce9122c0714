import { closedIpv4 } from '../../../contract/closed-networks.ts'
import { MachineError } from '../../../contract/errors.ts'
import type { Egress } from '../../../contract/spec.ts'

/** A rule of an access list of Incus. Those that drop come before those that allow. */
export interface AclRule {
  readonly action: 'allow' | 'drop'
  readonly state: 'enabled'
  readonly destination: string
  readonly protocol?: 'tcp' | 'udp' | ''
  readonly destination_port?: string
}

const allow = (destination: string): AclRule => ({ action: 'allow', state: 'enabled', destination })
export const drop = (destination: string): AclRule => ({ action: 'drop', state: 'enabled', destination })

/**
 * What machines with this egress may send. The addresses of the members are never among it, wherever they are, so that no machine
 * reaches the cluster itself. What no rule allows is dropped.
 */
export function rulesOf(
  egress: Exclude<Egress, 'none'>,
  { members, resolvers }: { readonly members: readonly string[]; readonly resolvers: readonly string[] },
): AclRule[] {
  const protectedOnes = members.map(drop)
  if (egress === 'internet') return [...protectedOnes, ...internet(resolvers)]
  return [
    ...protectedOnes,
    ...egress.flatMap(rule => {
      if ('host' in rule)
        throw new MachineError(
          'INVALID',
          `egress: machines of this shape cannot be limited to names such as ${rule.host}; use networks`,
        )
      if (!rule.ports) return [allow(rule.cidr)]
      const ports = rule.ports.join(',')
      return (['tcp', 'udp'] as const).map(protocol => ({
        ...allow(rule.cidr),
        protocol,
        destination_port: ports,
      }))
    }),
  ]
}

/** Allows what is left of all addresses, because rules that drop would also drop the queries to a resolver in a private network. */
function internet(resolvers: readonly string[]): AclRule[] {
  const queries = resolvers.flatMap(address =>
    (['udp', 'tcp'] as const).map(protocol => ({ ...allow(address), protocol, destination_port: '53' })),
  )
  return [...queries, ...complement(closedIpv4).map(allow)]
}

/** The networks that contain exactly the addresses that are in none of these. */
export function complement(networks: readonly string[]): string[] {
  const ranges = networks.map(rangeOf).sort((a, b) => a.first - b.first)
  const rest: string[] = []
  let next = 0
  for (const { first, last } of [...ranges, { first: 2 ** 32, last: 2 ** 32 }]) {
    while (next < first) {
      let size = 1
      while (size < 2 ** 32 && next % (size * 2) === 0) size *= 2
      while (size > first - next) size /= 2
      rest.push(`${textOf(next)}/${32 - Math.log2(size)}`)
      next += size
    }
    next = Math.max(next, last + 1)
  }
  return rest
}

function rangeOf(cidr: string): { readonly first: number; readonly last: number } {
  const [address = '', length = '32'] = cidr.split('/')
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return { first, last: first + 2 ** (32 - Number(length)) - 1 }
}

const textOf = (address: number) =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.')
