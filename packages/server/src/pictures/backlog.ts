import { ApiError } from '@sandglass/protocol'
import { TenantQueue } from '@sandglass/supervision'

/** A caller that has more captures waiting than this has most likely made a mistake. */
const maxWaiting = 100

interface Waiter {
  readonly tenant: string
  readonly release: () => void
}

/**
 * Limits the memory of pictures that are being processed, and shares it between tenants: nobody gets more than half of
 * it, and those who wait take turns. While it is full, one waiting caller continues for each picture that is done.
 */
export class Backlog {
  readonly #limit: number
  readonly #waiters = new TenantQueue<Waiter>()
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  isFullFor(tenant: string): boolean {
    return this.#isFull || (this.#bytesOf.get(tenant) ?? 0) >= this.#limit / 2
  }

  /** Resolves when there is capacity, in the order of the tenant's calls. Throws if too many of them wait. */
  async waitForCapacity(tenant = ''): Promise<void> {
    const waiting = this.#waiters.lengthOf(tenant)
    if (waiting >= maxWaiting)
      throw new ApiError('rate.LIMITED', {
        message: `${waiting} screenshots of this organization wait to be taken already.`,
        retryAfter: 1,
      })
    if (this.isFullFor(tenant) || waiting > 0)
      await new Promise<void>(release => this.#waiters.push({ tenant, release }))
  }

  /** Counts this many bytes until the work ends. */
  async during<T>(bytes: number, work: () => Promise<T>, tenant = ''): Promise<T> {
    this.#count(tenant, bytes)
    try {
      return await work()
    } finally {
      this.#count(tenant, -bytes)
      this.#release()
    }
  }

  get #isFull(): boolean {
    return this.#bytes >= this.#limit
  }

  #count(tenant: string, bytes: number): void {
    this.#bytes += bytes
    const ofTenant = (this.#bytesOf.get(tenant) ?? 0) + bytes
    if (ofTenant > 0) this.#bytesOf.set(tenant, ofTenant)
    else this.#bytesOf.delete(tenant)
  }

  /** Lets everybody continue who has capacity again. If nobody has, the next one takes the place of the work that ended. */
  #release(): void {
    const hasCapacity = (tenant: string) => !this.isFullFor(tenant)
    let next = this.#waiters.shift(hasCapacity) ?? this.#waiters.shift()
    while (next) {
      next.release()
      next = this.#waiters.shift(hasCapacity)
    }
  }
}
