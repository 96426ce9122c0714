import { BlockList, isIPv6 } from 'node:net'
import { closedIpv4 } from '@sandglass/machines/contract'
import { OwnAddresses } from './own-addresses.ts'

/**
 * The IPv6 addresses that are allocated to hosts. Mapped and NAT64 addresses, ULA, link-local and multicast are
 * outside.
 */
const allocatedIpv6 = ['2000::/3']

/**
 * Exceptions within that range: Teredo and its neighbours, documentation, 6to4. They lead to IPv4 addresses, or
 * nowhere.
 */
const closedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const reserved = listOf([...closedIpv4, ...closedIpv6])
const allocated = listOf(allocatedIpv6)

/**
 * The addresses that the service may dial: public ones except the host's own, and others that the operator allowed.
 */
export class DiallableNetworks {
  readonly #allowed: BlockList
  readonly #own: OwnAddresses

  constructor(allowed: readonly string[], own = new OwnAddresses()) {
    this.#allowed = listOf(allowed)
    this.#own = own
  }

  has(address: string): boolean {
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (this.#allowed.check(address, family)) return true
    if (reserved.check(address, family) || this.#own.has(address)) return false
    return family === 'ipv4' || allocated.check(address, family)
  }
}

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/')
    list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}
