import type { PreparedInstance } from './prepared-instance.ts'
import { keyOfKind, type PreparedKind } from './prepared-kind.ts'

/** How many are kept per kind: as many as were lately wanted at once, at least one on each of some members, and no more than this. */
const maxPerKind = 32
const minPerKind = 2
const maxMembers = 4
/** The kinds that were wanted last. One that nobody has wanted for this long is forgotten. */
const maxKinds = 2
const wantedMs = 60 * 60_000

interface Stock {
  readonly kind: PreparedKind
  readonly ready: PreparedInstance[]
  /** How many are kept because of those that were wanted at once. */
  size: number
  creates: number
  most: number
  wantedAtMs: number
}

/** What is prepared of each kind, and how much of it is kept. */
export class Stocks {
  readonly #stocks = new Map<string, Stock>()

  /** Does what uses up one of a kind. */
  async during<T>(kind: PreparedKind, work: () => Promise<T>): Promise<T> {
    const key = keyOfKind(kind)
    const wantedAtMs = performance.now()
    const stock = this.#stocks.get(key) ?? { kind, ready: [], size: 0, creates: 0, most: 0, wantedAtMs }
    this.#stocks.delete(key)
    this.#stocks.set(key, stock)
    stock.wantedAtMs = wantedAtMs
    stock.most = Math.max(stock.most, ++stock.creates)
    try {
      return await work()
    } finally {
      stock.creates--
    }
  }

  of(kind: PreparedKind): readonly PreparedInstance[] {
    return this.#stocks.get(keyOfKind(kind))?.ready ?? []
  }

  get all(): PreparedInstance[] {
    return [...this.#stocks.values()].flatMap(({ ready }) => ready)
  }

  has(name: string): boolean {
    return this.all.some(one => one.name === name)
  }

  add(kind: PreparedKind, one: PreparedInstance): void {
    this.#stocks.get(keyOfKind(kind))?.ready.push(one)
  }

  remove(one: PreparedInstance): void {
    for (const { ready } of this.#stocks.values())
      if (ready.includes(one)) ready.splice(ready.indexOf(one), 1)
  }

  /** A kind of which there are not enough, on so many members. */
  short(members: number): PreparedKind | undefined {
    const least = Math.max(minPerKind, Math.min(members, maxMembers))
    const found = this.#stocks.values().find(({ ready, size }) => ready.length < Math.max(least, size))
    return found?.kind
  }

  /** Follows a crowd at once and forgets it slowly. Takes out and returns what is not kept any more. */
  shrink(isUsable: (one: PreparedInstance) => boolean): PreparedInstance[] {
    const left: PreparedInstance[] = []
    const nowMs = performance.now()
    for (const [key, stock] of this.#stocks) {
      if (stock.most > 0) stock.size = Math.min(maxPerKind, Math.max(stock.most, stock.size - 1))
      stock.most = 0
      const isForgotten = this.#stocks.size > maxKinds || nowMs - stock.wantedAtMs > wantedMs
      if (isForgotten && stock.creates === 0) this.#stocks.delete(key)
      left.push(...stock.ready.filter(one => (isForgotten && stock.creates === 0) || !isUsable(one)))
      for (const one of left) if (stock.ready.includes(one)) stock.ready.splice(stock.ready.indexOf(one), 1)
    }
    return left
  }

  /** Takes out and returns everything. */
  clear(): PreparedInstance[] {
    const { all } = this
    this.#stocks.clear()
    return all
  }
}
