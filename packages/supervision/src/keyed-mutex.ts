/** How long the queue of one key may become; see {@link KeyedMutex}. */
export interface KeyedMutexOptions {
  /** How many callers may wait for one key behind the one that runs. Unlimited by default. */
  readonly maxWaiting?: number
  /** Makes the error that a caller beyond `maxWaiting` gets. */
  readonly tooMany?: () => Error
}

interface Queue {
  /** Settles when all earlier work has ended. */
  last: Promise<unknown>
  /** The running caller and all that wait. */
  length: number
}

/**
 * Serialises work per key: work on the same key runs one after the other in the order of the calls, and work on
 * different keys runs concurrently. A failure does not stop the work behind it.
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
    tooMany = () => new Error('Too many callers are waiting.'),
  }: KeyedMutexOptions = {}) {
    this.#maxWaiting = maxWaiting
    this.#tooMany = tooMany
  }

  /**
   * Runs `work` when its turn comes. If `signal` has fired by then, `work` does not start and the call rejects with the
   * signal's reason.
   */
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
