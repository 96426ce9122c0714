import { TimeoutError } from './errors.ts'

/** Timers of JavaScript cannot be set to more. A longer time limit is none. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Ends a call after some time, or when its caller says so. It listens to the caller's signal itself, because signals that are made of
 * others are kept for as long as the others, and a caller may use one signal for many calls.
 */
export class TimeLimit {
  readonly #controller = new AbortController()
  /** By the time of day, because Node loads `performance` when it is first used. A clock that is set only affects retries. */
  readonly #endMs: number
  readonly #theirs: AbortSignal | undefined
  readonly #timer: ReturnType<typeof setTimeout> | undefined
  readonly #follow = () => this.#controller.abort(this.#theirs?.reason)

  constructor(what: string, timeoutMs: number, theirs: AbortSignal | undefined) {
    this.#endMs = Date.now() + timeoutMs
    this.#theirs = theirs
    if (theirs?.aborted) this.#follow()
    else theirs?.addEventListener('abort', this.#follow, { once: true })
    if (timeoutMs <= longestTimerMs)
      this.#timer = setTimeout(() => this.#controller.abort(timeoutOf(what, timeoutMs)), timeoutMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    return this.#endMs - Date.now()
  }

  /** What to throw in place of an error. The reason of an abort matters more than what has failed because of it. */
  reasonFor(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error
  }

  /** The answer has begun in time. It may take longer, and can still be aborted by the caller. */
  stopTimer(): void {
    clearTimeout(this.#timer)
  }

  /** Leaves nothing behind, neither a timer nor a listener. */
  release(): void {
    this.stopTimer()
    this.#theirs?.removeEventListener('abort', this.#follow)
  }
}

function timeoutOf(what: string, timeoutMs: number): TimeoutError {
  return new TimeoutError(
    `${what} took longer than ${timeoutMs} ms. The service may still have done it. Pass a larger timeoutMs to wait longer.`,
    { code: 'client.TIMEOUT' },
  )
}
