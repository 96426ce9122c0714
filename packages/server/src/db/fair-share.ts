import { ApiError } from '@sandglass/protocol'

export interface Shares {
  /** How much work of one key may be under way at once. */
  readonly perKey: number
  /** How much work there may be in all. */
  readonly total: number
  /** Work that could not begin within this time is refused. */
  readonly waitMs: number
}

interface Waiting {
  readonly begin: () => void
}

/**
 * Lets work of many keys share what there is of something. What one key asks for waits behind what it asked for before;
 * where several keys wait, they take turns, so that one with a thousand requests delays another by one of them.
 */
export class FairShare {
  readonly #shares: Shares
  readonly #underWay = new Map<string, number>()
  /** By key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #total = 0

  constructor(shares: Shares) {
    this.#shares = shares
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (!this.#hasRoom(key)) await this.#turn(key)
    else this.#enter(key)
    try {
      return await work()
    } finally {
      this.#leave(key)
    }
  }

  #hasRoom(key: string): boolean {
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
    const late = setTimeout(() => {
      this.#forget(key, waiting)
      reject(
        new ApiError('service.UNAVAILABLE', {
          message: 'Too many changes are queued for this organization, and nothing was done.',
          retryAfter: 1,
        }),
      )
    }, this.#shares.waitMs)
    const waiting: Waiting = {
      begin: () => {
        clearTimeout(late)
        this.#enter(key)
        resolve()
      },
    }
    const queue = this.#waiting.get(key)
    if (queue) queue.push(waiting)
    else this.#waiting.set(key, [waiting])
    return promise
  }

  #forget(key: string, waiting: Waiting): void {
    const queue = this.#waiting.get(key)?.filter(one => one !== waiting) ?? []
    if (queue.length > 0) this.#waiting.set(key, queue)
    else this.#waiting.delete(key)
  }

  #beginNext(): void {
    for (const [key, queue] of this.#waiting) {
      if (!this.#hasRoom(key)) continue
      const next = queue.shift()
      // Behind the others, or away where it has nothing more to do.
      this.#waiting.delete(key)
      if (queue.length > 0) this.#waiting.set(key, queue)
      next?.begin()
      return
    }
  }
}
