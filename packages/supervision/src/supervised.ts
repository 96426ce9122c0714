import { Backoff, type BackoffOptions } from './backoff.ts'
import { Pause } from './pause.ts'

/** How one of what is supervised is opened, how its end is known, and how it is closed. */
export interface Supervision<T> {
  /** Must settle in bounded time. Aborted when the supervisor is closed. */
  readonly open: (signal: AbortSignal) => Promise<T>
  /** Settles when it can no longer be used, with the reason. */
  readonly ended: (it: T) => Promise<unknown>
  readonly close: (it: T) => void
  readonly backoff?: BackoffOptions
  /**
   * Retries after a failure also while nobody asks, so that {@link Supervised.failure} is never out of date. Leave it out
   * for what costs much to open and is seldom needed.
   */
  readonly probes?: boolean
  /** Called when it fails, with each further failure, and with `undefined` when it works again. */
  readonly onFailure?: (failure: Failure | undefined) => void
}

/** Why there is none, and since when none could be opened. */
export interface Failure {
  readonly reason: unknown
  readonly since: Date
  /** Failed attempts in a row. */
  readonly attempts: number
}

/**
 * One link, session or process that is replaced when it fails. It is opened when somebody asks for it, shared by all who
 * ask, and opened anew after it ended. A failed attempt is never remembered as the answer: the next caller tries again.
 *
 * @example
 * const links = new Supervised({ open: () => dial(), ended: link => link.closed, close: link => link.close() })
 * const link = await links.get()
 * const release = links.hold() // and keep one open from now on
 */
export class Supervised<T> {
  readonly #supervision: Supervision<T>
  readonly #backoff: Backoff
  readonly #closing = new AbortController()
  #current: T | undefined
  #openedAtMs = 0
  #attempt: Promise<T> | undefined
  #pause: Pause | undefined
  #holders = 0
  #failure: Failure | undefined

  constructor(supervision: Supervision<T>) {
    this.#supervision = supervision
    this.#backoff = new Backoff(supervision.backoff)
  }

  /** The one that works now, without opening any. */
  get current(): T | undefined {
    return this.#current
  }

  /** Set from a failed attempt until the next that succeeds. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  /** The one that works now; opens one where there is none. A caller shortens a long backoff, so that it does not wait for it. */
  get(): Promise<T> {
    if (this.#current !== undefined) return Promise.resolve(this.#current)
    if (this.#closing.signal.aborted) return Promise.reject(this.#closing.signal.reason)
    this.#pause?.shortenTo(this.#backoff.firstMs)
    return this.#try()
  }

  /** Keeps one open, and opens another each time it ends, until the returned function is called. */
  hold(): () => void {
    this.#holders++
    this.#recover()
    let isHeld = true
    return () => {
      if (isHeld) this.#holders--
      isHeld = false
    }
  }

  /** Reports that one does not do its work though it has not ended: it is closed and replaced. */
  replace(it: T, reason: unknown): void {
    if (this.#current !== it) return
    this.#lose(0)
    this.#supervision.close(it)
    this.#fail(reason)
    this.#recover()
  }

  /** Closes the one that is open; the next who asks opens another. */
  release(): void {
    const it = this.#current
    if (it === undefined) return
    this.#current = undefined
    this.#supervision.close(it)
  }

  /** Ends supervision. Whoever asks from now on, or is waiting, gets the reason. */
  close(reason: unknown = new Error('it was closed')): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(reason)
    this.#pause?.end()
    this.release()
  }

  #try(): Promise<T> {
    if (this.#attempt) return this.#attempt
    const attempt = this.#open().finally(() => {
      this.#attempt = undefined
    })
    // The failure is kept for who asks, and nobody has to wait for this attempt.
    attempt.catch(() => this.#recover())
    this.#attempt = attempt
    return attempt
  }

  async #open(): Promise<T> {
    const { signal } = this.#closing
    if (this.#backoff.delayMs > 0) {
      this.#pause = new Pause(this.#backoff.delayMs)
      await this.#pause.over
      this.#pause = undefined
    }
    signal.throwIfAborted()
    let it: T
    try {
      it = await this.#supervision.open(signal)
    } catch (error) {
      this.#backoff.failed()
      if (!signal.aborted) this.#fail(error)
      throw error
    }
    if (signal.aborted) {
      this.#supervision.close(it)
      throw signal.reason
    }
    this.#take(it)
    return it
  }

  #take(it: T): void {
    this.#current = it
    this.#openedAtMs = performance.now()
    if (this.#failure) {
      this.#failure = undefined
      this.#supervision.onFailure?.(undefined)
    }
    const onEnd = () => {
      if (this.#current !== it) return
      this.#lose(performance.now() - this.#openedAtMs)
      this.#recover()
    }
    this.#supervision.ended(it).then(onEnd, onEnd)
  }

  #lose(ranForMs: number): void {
    this.#current = undefined
    this.#backoff.failed(ranForMs)
  }

  #fail(reason: unknown): void {
    const { since = new Date(), attempts = 0 } = this.#failure ?? {}
    this.#failure = { reason, since, attempts: attempts + 1 }
    this.#supervision.onFailure?.(this.#failure)
  }

  /** Opens another where one is wanted though nobody asks. */
  #recover(): void {
    const isWanted = this.#holders > 0 || (this.#supervision.probes && this.#failure)
    if (isWanted && this.#current === undefined && !this.#closing.signal.aborted) void this.#try()
  }
}
