import { TenantQueue } from '@sandglass/supervision'

/** Which picture it is, and whose. */
export interface Turn {
  readonly id: string
  readonly tenant: string
}

interface Waiting extends Turn {
  readonly start: () => void
}

/**
 * Decides which picture is encoded next. Pictures that somebody is fetching go first and may use every thread. The
 * others leave one thread free, because most pictures of a busy agent are never fetched: they must delay neither a
 * fetch nor the answer to an action. Among both kinds, tenants take turns, so that a tenant with a hundred pictures
 * delays another by one.
 */
export class EncoderTurns {
  readonly #threads: number
  readonly #fetched = new Set<string>()
  readonly #prioritized = new TenantQueue<Waiting>()
  readonly #others = new TenantQueue<Waiting>()
  #running = 0

  constructor(threads: number) {
    this.#threads = threads
  }

  /** Runs the work when its turn comes. */
  async during<T>({ id, tenant }: Turn, work: () => Promise<T>): Promise<T> {
    await new Promise<void>(start => {
      const queue = this.#fetched.has(id) ? this.#prioritized : this.#others
      queue.push({ id, tenant, start })
      this.#next()
    })
    try {
      return await work()
    } finally {
      this.#running--
      this.#fetched.delete(id)
      this.#next()
    }
  }

  /** Call this when somebody fetches a picture that is queued, or will be queued soon. */
  prioritize(id: string): void {
    this.#fetched.add(id)
    const waiting = this.#others.take(one => one.id === id)
    if (waiting) this.#prioritized.push(waiting)
    this.#next()
  }

  #next(): void {
    const maxOthers = Math.max(1, this.#threads - 1)
    while (this.#running < this.#threads) {
      const next = this.#prioritized.shift() ?? (this.#running < maxOthers ? this.#others.shift() : undefined)
      if (!next) return
      this.#running++
      next.start()
    }
  }
}
