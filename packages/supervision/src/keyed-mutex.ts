export interface KeyedMutexOptions {
  /** How many callers may wait for one key behind the one that is at work; unlimited by default. */
  readonly maxWaiting?: number
  /** What a caller beyond that gets. */
  readonly tooMany?: () => Error
}

interface Queue {
  /** Settles when everybody who came before is done. */
  last: Promise<unknown>
  /** The caller at work and those that wait. */
  length: number
}

/**
 * Runs work on the same key one after the other, in the order of the calls, and work on different keys side by side.
 *
 * @example
 * const mutex = new KeyedMutex()
 * await mutex.run(machineId, () => engine.destroy(handle))
 */
export class KeyedMutex {
  readonly #queues = new Map<unknown, Queue>()
  readonly #maxWaiting: number
  readonly #tooMany: () => Error

  constructor({
    maxWaiting = Infinity,
    tooMany = () => new Error('Too many wait.'),
  }: KeyedMutexOptions = {}) {
    this.#maxWaiting = maxWaiting
    this.#tooMany = tooMany
  }

  /** Work whose `signal` has fired when its turn comes is not begun, and the call rejects with the signal's reason. */
  async run<T>(key: unknown, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = this.#queueOf(key)
    if (queue.length > this.#maxWaiting) throw this.#tooMany()
    queue.length++
    const turn = queue.last.then(async () => {
      try {
        signal?.throwIfAborted()
        return await work()
      } finally {
        if (--queue.length === 0) this.#queues.delete(key)
      }
    })
    queue.last = turn.catch(() => {})
    return turn
  }

  #queueOf(key: unknown): Queue {
    const known = this.#queues.get(key)
    if (known) return known
    const queue = { last: Promise.resolve(), length: 0 }
    this.#queues.set(key, queue)
    return queue
  }
}
