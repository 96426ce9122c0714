import { ApiError } from '@sandglass/protocol'

/** More than this many that wait for one machine are a mistake of somebody's. */
const mostWaiting = 100

interface Lane {
  /** Settles when everybody who came before is done. */
  last: Promise<unknown>
  /** Who waits, and who is at work. */
  count: number
}

/** Lets work on one thing happen one after the other, in the order in which it came; on different things side by side. */
export class Lanes {
  readonly #lanes = new Map<unknown, Lane>()

  async run<T>(of: unknown, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(of)
    if (lane.count > mostWaiting) throw new ApiError('action.TOO_MANY', { retryAfter: 1 })
    lane.count++
    const turn = lane.last.then(async () => {
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        if (--lane.count === 0) this.#lanes.delete(of)
      }
    })
    lane.last = turn.catch(() => {})
    return turn
  }

  #laneOf(of: unknown): Lane {
    const known = this.#lanes.get(of)
    if (known) return known
    const lane = { last: Promise.resolve(), count: 0 }
    this.#lanes.set(of, lane)
    return lane
  }
}
