import { Backoff, type BackoffOptions } from './backoff.ts'
import { Pause } from './pause.ts'

/** How a supervised resource is opened, how its end is noticed, and how it is closed. */
export interface Supervision<T> {
  /** Opens the resource. Must settle in bounded time; `signal` fires when supervision is closed. */
  readonly open: (signal: AbortSignal) => Promise<T>
  /** Settles, with or without an error, when the resource can no longer be used. */
  readonly ended: (it: T) => Promise<unknown>
  readonly close: (it: T) => void
  /**
   * Whether the resource ended because it misbehaved, judged by what `ended` settled with. That counts as a failure,
   * however long it worked before. By default no end does: what has worked is opened again at once.
   */
  readonly isFault?: (end: unknown) => boolean
  readonly backoff?: BackoffOptions
  /**
   * Retries after a failure even while nobody asks, so that {@link Supervised.failure} is always up to date. Leave it
   * out for resources that are expensive to open and rarely needed.
   */
  readonly probes?: boolean
  /** Called on every failure in a row, and with `undefined` once the resource works again. */
  readonly onFailure?: (failure: Failure | undefined) => void
}

/** Why there is no working resource, and since when. */
export interface Failure {
  readonly reason: unknown
  readonly since: Date
  /** Failures in a row. */
  readonly attempts: number
}

/**
 * A link, session or process that is replaced when it fails. It is opened on demand, shared by all callers, and opened
 * again after it ended. A failed attempt is not cached: the next caller tries again, after a backoff.
 *
 * @example
 * const links = new Supervised({ open: () => dial(), ended: link => link.closed, close: link => link.close() })
 * const link = await links.get()
 * const release = links.hold() // keeps a link open from now on
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

  /** The working resource, if there is one. Does not open one. */
  get current(): T | undefined {
    return this.#current
  }

  /** Set from a failed attempt until the next one succeeds. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  /**
   * The working resource; opens one if there is none. A call cuts a long backoff short, so that the caller does not
   * wait longer than the first backoff.
   */
  get(): Promise<T> {
    if (this.#current !== undefined) return Promise.resolve(this.#current)
    if (this.#closing.signal.aborted) return Promise.reject(this.#closing.signal.reason)
    this.#pause?.shortenTo(this.#backoff.firstMs)
    return this.#try()
  }

  /** Keeps the resource open, and reopens it each time it ends, until the returned function is called. */
  hold(): () => void {
    this.#holders++
    this.#recover()
    let isHeld = true
    return () => {
      if (isHeld) this.#holders--
      isHeld = false
    }
  }

  /**
   * Reports that the resource does not work although it has not ended. It is closed and replaced. Reports about a
   * resource that was already replaced are ignored.
   */
  replace(it: T, reason: unknown): void {
    if (this.#current !== it) return
    this.#lose(0)
    this.#supervision.close(it)
    this.#fail(reason)
    this.#recover()
  }

  /** Closes the resource without ending supervision: the next caller opens another. */
  release(): void {
    const it = this.#current
    if (it === undefined) return
    this.#current = undefined
    this.#supervision.close(it)
  }

  /** Ends supervision. Waiting callers and all later ones are rejected with `reason`. */
  close(reason: unknown = new Error('it was closed')): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(reason)
    this.#pause?.end()
    this.release()
  }

  #try(): Promise<T> {
    if (this.#attempt) return this.#attempt
    const attempt = this.#open().finally(() => {
      if (this.#attempt === attempt) this.#attempt = undefined
    })
    // The failure is recorded for later callers, and this attempt may have no caller at all.
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
    // This attempt is over: if the resource has ended by now, another attempt has to replace it.
    this.#attempt = undefined
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
    const onEnd = (end: unknown) => {
      if (this.#current !== it) return
      const isFault = this.#supervision.isFault?.(end) ?? false
      this.#lose(isFault ? 0 : performance.now() - this.#openedAtMs)
      if (isFault) this.#fail(end)
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

  /** Reopens the resource if somebody holds it or a failure is being probed. */
  #recover(): void {
    const isWanted = this.#holders > 0 || (this.#supervision.probes && this.#failure)
    if (isWanted && this.#current === undefined && !this.#closing.signal.aborted) void this.#try()
  }
}
