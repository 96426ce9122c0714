import { ApiError } from '@sandglass/protocol'

export interface Shares {
  /** The maximum of concurrent work for one key. */
  readonly perKey: number
  /** The maximum of concurrent work for all keys together. */
  readonly total: number
  /** Work that could not start within this time is refused. If it is omitted, work waits as long as it has to. */
  readonly waitMs?: number
  /** What the work is called when it is refused. */
  readonly work?: string
}

interface Waiting {
  readonly begin: () => void
}

/**
 * Limits concurrent work, and shares the capacity fairly between keys. Each key has its own queue. If several keys
 * are waiting, they take turns, so that a key with a thousand requests delays another key by one request at most.
 */
export class FairShare {
  readonly #shares: Shares
  readonly #underWay = new Map<string, number>()
  /** The queue of each key. The key whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #total = 0

  constructor(shares: Shares) {
    this.#shares = shares
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.#hasCapacity(key)) await this.#turn(key)
    else this.#enter(key)
    try {
      return await work()
    } finally {
      this.#leave(key)
    }
  }

  #hasCapacity(key: string): boolean {
    return this.#total < this.#shares.total && (this.#underWay.get(key) ?? 0) < this.#shares.perKey
  }

  #enter(key: string): void {
    this.#total++
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1)
  }

  #leave(key: string): void {
    this.#total--
    const left = (this.#underWay.get(key) ?? 0) - 1
    if (left > 0) this.#underWay.set(key, left)
    else this.#underWay.delete(key)
    this.#beginNext()
  }

  #turn(key: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const refuse = () => {
      this.#dequeue(key, waiting)
      reject(
        new ApiError('service.UNAVAILABLE', {
          message: `Too many ${this.#shares.work ?? 'changes'} are queued for this organization, and nothing was done.`,
          retryAfter: 1,
        }),
      )
    }
    const { waitMs } = this.#shares
    const timer = waitMs === undefined ? undefined : setTimeout(refuse, waitMs)
    const waiting: Waiting = {
      begin: () => {
        clearTimeout(timer)
        this.#enter(key)
        resolve()
      },
    }
    const queue = this.#waiting.get(key)
    if (queue) queue.push(waiting)
    else this.#waiting.set(key, [waiting])
    return promise
  }

  #dequeue(key: string, waiting: Waiting): void {
    const queue = this.#waiting.get(key)?.filter(one => one !== waiting) ?? []
    if (queue.length > 0) this.#waiting.set(key, queue)
    else this.#waiting.delete(key)
  }

  #beginNext(): void {
    for (const [key, queue] of this.#waiting) {
      if (!this.#hasCapacity(key)) continue
      const next = queue.shift()
      // Move the key behind the others, or remove it if its queue is empty.
      this.#waiting.delete(key)
      if (queue.length > 0) this.#waiting.set(key, queue)
      next?.begin()
      return
    }
  }
}
