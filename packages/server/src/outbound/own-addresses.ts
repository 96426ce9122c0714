import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** An address that was added to the host is known after this time. */
const refreshEveryMs = 1000

/** Lists the addresses of all network interfaces of this host. */
function listAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap(found => found?.map(({ address }) => address) ?? [])
}

/**
 * The addresses of this host. Services that are meant for the host alone often listen on all of them, and a firewall in
 * front of the host does not see a call that the host makes to itself.
 */
export class OwnAddresses {
  readonly #list: () => readonly string[]
  #known = new BlockList()
  #refreshedAtMs = Number.NEGATIVE_INFINITY

  constructor(list = listAddresses) {
    this.#list = list
  }

  has(address: string): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#refreshedAtMs >= refreshEveryMs) {
      this.#refreshedAtMs = nowMs
      this.#known = new BlockList()
      for (const own of this.#list()) this.#known.addAddress(own, familyOf(own))
    }
    return this.#known.check(address, familyOf(address))
  }
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
