/** Work in progress, so that a stop can wait until it is over. */
export class TrackedWork {
  readonly #work = new Set<Promise<unknown>>()

  /** Returns the work. If it fails, that is reported to whoever awaits it, and to nobody else. */
  track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#work.delete(tracked))
    tracked.catch(() => {})
    this.#work.add(tracked)
    return tracked
  }

  /** Settles when the work that is in progress now has ended, even if some of it failed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#work)
  }
}
