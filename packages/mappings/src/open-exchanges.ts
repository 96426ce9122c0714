import { ApiError } from '@sandglass/protocol'

/** A request under way, or a connection that was upgraded and lives on. */
export interface Exchange {
  readonly mapping: string
  /** When bytes last went either way. */
  readonly activeAt: number
  /** Nothing came back yet. */
  readonly isWaiting: boolean
  /** Ends it on both sides, whatever its state. */
  cut(): void
  /** Tells the client that it waits in vain. */
  giveUp(): void
}

export interface Limits {
  /** Requests and upgraded connections at a time, of one mapping and of all. */
  readonly perMapping: number
  readonly total: number
  /** After so long without a byte either way an exchange is cut. */
  readonly idleMs: number
  /** So long a guest may take to begin its answer once it has been asked. */
  readonly waitMs: number
}

const retrySeconds = 1

/** What is open now: never more than the limits allow, and nothing that stands still for ever. */
export class OpenExchanges {
  readonly #limits: Limits
  readonly #byMapping = new Map<string, Set<Exchange>>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get total(): number {
    return this.#total
  }

  requireRoom(mapping: string): void {
    const open = this.#byMapping.get(mapping)?.size ?? 0
    if (open < this.#limits.perMapping && this.#total < this.#limits.total) return
    throw new ApiError('mapping.BUSY', { retryAfter: retrySeconds })
  }

  add(exchange: Exchange): void {
    const open = this.#byMapping.get(exchange.mapping)
    if (open) open.add(exchange)
    else this.#byMapping.set(exchange.mapping, new Set([exchange]))
    this.#total++
  }

  remove(exchange: Exchange): void {
    const open = this.#byMapping.get(exchange.mapping)
    if (!open?.delete(exchange)) return
    this.#total--
    if (open.size === 0) this.#byMapping.delete(exchange.mapping)
  }

  cutThoseOf(mapping: string): void {
    for (const exchange of [...(this.#byMapping.get(mapping) ?? [])]) exchange.cut()
  }

  endIdle(now: number): void {
    for (const exchange of this.#all()) {
      const idleMs = now - exchange.activeAt
      if (exchange.isWaiting && idleMs > this.#limits.waitMs) exchange.giveUp()
      else if (idleMs > this.#limits.idleMs) exchange.cut()
    }
  }

  cutAll(): void {
    for (const exchange of this.#all()) exchange.cut()
  }

  #all(): Exchange[] {
    return [...this.#byMapping.values()].flatMap(open => [...open])
  }
}
