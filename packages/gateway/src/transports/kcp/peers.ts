import { randomInt } from 'node:crypto'
import { isConv } from './handshake.ts'
import type { Peer } from './peer.ts'
import type { Limits } from './settings.ts'

/** The conversations of a listener, by number, by handshake and by address. */
export class Peers {
  readonly #limits: Limits
  readonly #byConv = new Map<number, Peer>()
  readonly #byHandshakeKey = new Map<string, Peer>()
  readonly #perAddress = new Map<string, number>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#byConv.size
  }

  get securing(): number {
    return this.all().filter(({ secured }) => !secured).length
  }

  all(): Peer[] {
    return [...this.#byConv.values()]
  }

  withConv(conv: number): Peer | undefined {
    return this.#byConv.get(conv)
  }

  withHandshakeKey(handshakeKey: string): Peer | undefined {
    return this.#byHandshakeKey.get(handshakeKey)
  }

  hasCapacityFor(address: string): boolean {
    const { maxPeers, maxPeersPerAddress } = this.#limits
    return this.size < maxPeers && (this.#perAddress.get(address) ?? 0) < maxPeersPerAddress
  }

  /** Returns an unused conversation number that cannot be guessed. */
  freshConv(): number {
    for (;;) {
      const conv = randomInt(2 ** 32)
      if (isConv(conv) && !this.#byConv.has(conv)) return conv
    }
  }

  add(peer: Peer): void {
    this.#byConv.set(peer.conv, peer)
    this.#byHandshakeKey.set(peer.handshakeKey, peer)
    this.#count(peer.remote.address, 1)
  }

  remove(peer: Peer): void {
    if (!this.#byConv.delete(peer.conv)) return
    this.#byHandshakeKey.delete(peer.handshakeKey)
    this.#count(peer.remote.address, -1)
  }

  #count(address: string, more: number): void {
    const count = (this.#perAddress.get(address) ?? 0) + more
    if (count > 0) this.#perAddress.set(address, count)
    else this.#perAddress.delete(address)
  }
}
