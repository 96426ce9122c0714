/** Limits how much one call does, so that a failure of it concerns few. */
const maxGroup = 64

interface Waiting<T> extends PromiseWithResolvers<void> {
  readonly item: T
}

/**
 * Calls with everything that was requested for a key while the call before was under way. If a call for several fails,
 * each is repeated alone, so that a failure concerns only the one that caused it. The call must therefore do all or
 * nothing.
 */
export class GroupedCalls<T> {
  readonly #run: (key: string, items: readonly T[]) => Promise<void>
  readonly #waiting = new Map<string, Waiting<T>[]>()

  constructor(run: (key: string, items: readonly T[]) => Promise<void>) {
    this.#run = run
  }

  call(key: string, item: T): Promise<void> {
    const waiting = { ...Promise.withResolvers<void>(), item }
    const queue = this.#waiting.get(key)
    if (queue) queue.push(waiting)
    else {
      this.#waiting.set(key, [waiting])
      void this.#drain(key)
    }
    return waiting.promise
  }

  async #drain(key: string): Promise<void> {
    const queue = this.#waiting.get(key) ?? []
    while (queue.length > 0) await this.#settle(key, queue.splice(0, maxGroup))
    this.#waiting.delete(key)
  }

  async #settle(key: string, group: readonly Waiting<T>[]): Promise<void> {
    try {
      await this.#run(
        key,
        group.map(({ item }) => item),
      )
      for (const { resolve } of group) resolve()
    } catch (error) {
      const [first, ...others] = group
      if (others.length === 0) return first?.reject(error)
      for (const one of group) await this.#settle(key, [one])
    }
  }
}
