/** Typical screens refresh 60 times per second. */
const periodMs = 1000 / 60

/**
 * After a pause this many frames may follow without delay, since a keystroke is often reported in two or three parts.
 */
const burst = 4

/** Runs work immediately when possible, but in the long run no more often than a screen refreshes. */
export class FrameRateLimit {
  readonly #work: () => void
  #spentUntilMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(work: () => void) {
    this.#work = work
  }

  /** Runs the work now, or once as soon as it is allowed. */
  request(): void {
    if (this.#timer) return
    const nowMs = performance.now()
    const leftMs = this.#spentUntilMs - (burst - 1) * periodMs - nowMs
    if (leftMs <= 0) this.#do()
    else this.#timer = setTimeout(() => this.#do(), leftMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #do(): void {
    this.stop()
    this.#spentUntilMs = Math.max(this.#spentUntilMs, performance.now()) + periodMs
    this.#work()
  }
}
