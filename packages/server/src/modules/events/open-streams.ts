import { ApiError } from '@sandglass/protocol'

/** Counts the open streams of each organization, so that one cannot take the connections of the others. */
export class OpenStreams {
  readonly #max: number
  readonly #counts = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Counts a stream, and throws if there are too many. Returns what to call, once, when the stream has ended. */
  open(owner: string): () => void {
    const count = this.#counts.get(owner) ?? 0
    if (count >= this.#max)
      throw new ApiError('event.TOO_MANY_STREAMS', {
        message: `There can be at most ${this.#max} open streams of events per organization and process.`,
        retryAfter: 5,
      })
    this.#counts.set(owner, count + 1)
    return () => {
      const left = (this.#counts.get(owner) ?? 1) - 1
      if (left > 0) this.#counts.set(owner, left)
      else this.#counts.delete(owner)
    }
  }
}
