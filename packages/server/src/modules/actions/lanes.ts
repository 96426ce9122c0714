import { ApiError } from '@sandglass/protocol'

/** More than this many that wait for one machine are a mistake of somebody's. */
const mostWaiting = 100

interface Lane {
  /** Settles when everybody who came before is done. */
  last: Promise<unknown>
  waiting: number
}

/** Lets work on one thing happen one after the other, in the order in which it came; on different things side by side. */
export class Lanes {
  readonly #lanes = new WeakMap<object, Lane>()

  async run<T>(of: object, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const lane = this.#laneOf(of)
    if (lane.waiting >= mostWaiting) throw new ApiError('action.TOO_MANY', { retryAfter: 1 })
    lane.waiting++
    const turn = lane.last.then(() => {
      lane.waiting--
      signal.throwIfAborted()
      return work()
    })
    lane.last = turn.catch(() => {})
    return turn
  }

  #laneOf(of: object): Lane {
    const known = this.#lanes.get(of)
    if (known) return known
    const lane = { last: Promise.resolve(), waiting: 0 }
    this.#lanes.set(of, lane)
    return lane
  }
}
