/** A queue in which tenants take turns. What one tenant has queued keeps its order. */
export class TenantQueue<T extends { readonly tenant: string }> {
  /** The queue of each tenant. The tenant whose turn is next comes first. */
  readonly #queues = new Map<string, T[]>()

  push(item: T): void {
    const queue = this.#queues.get(item.tenant)
    if (queue) queue.push(item)
    else this.#queues.set(item.tenant, [item])
  }

  lengthOf(tenant: string): number {
    return this.#queues.get(tenant)?.length ?? 0
  }

  /** Takes the next item, of a tenant that may proceed. */
  shift(mayProceed: (tenant: string) => boolean = () => true): T | undefined {
    for (const [tenant, queue] of this.#queues) {
      if (!mayProceed(tenant)) continue
      const next = queue.shift()
      // Move the tenant behind the others.
      this.#queues.delete(tenant)
      if (queue.length > 0) this.#queues.set(tenant, queue)
      return next
    }
    return undefined
  }

  /** Takes the first item that matches, whoever's turn it is. */
  take(matches: (item: T) => boolean): T | undefined {
    for (const [tenant, queue] of this.#queues) {
      const at = queue.findIndex(matches)
      if (at < 0) continue
      const [found] = queue.splice(at, 1)
      if (queue.length === 0) this.#queues.delete(tenant)
      return found
    }
    return undefined
  }
}
