import { ApiError } from '@sandglass/protocol'

/** A request in progress, or an upgraded connection. */
export interface Exchange {
  readonly mapping: string
  /** When bytes were last transferred in either direction. */
  readonly activeAt: number
  /** Whether the response has not begun yet. */
  readonly isWaiting: boolean
  /** How long the guest may take to begin this response, if that differs from the limit for all. */
  readonly waitMs?: number | undefined
  /** Ends the exchange on both sides, whatever its state. */
  cut(): void
  /** Responds to the client that the guest took too long. */
  giveUp(): void
}

export interface Limits {
  /** Max concurrent requests and upgraded connections, per mapping and in total. */
  readonly perMapping: number
  readonly total: number
  /** An exchange is cut after this long without a byte in either direction. */
  readonly idleMs: number
  /** How long a guest may take to begin its response, unless its mapping has a time of its own. */
  readonly waitMs: number
}

const retrySeconds = 1

/** The open exchanges, kept within the limits and cut when idle. */
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

  requireCapacity(mapping: string): void {
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

  cutAllOf(mapping: string): void {
    for (const exchange of [...(this.#byMapping.get(mapping) ?? [])]) exchange.cut()
  }

  endIdle(now: number): void {
    for (const exchange of this.#all()) {
      const idleMs = now - exchange.activeAt
      const waitMs = exchange.waitMs ?? this.#limits.waitMs
      if (exchange.isWaiting && idleMs > waitMs) exchange.giveUp()
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
