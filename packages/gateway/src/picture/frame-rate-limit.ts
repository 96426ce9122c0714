/** No screen shows more. */
const periodMs = 1000 / 60

/** After a rest so many may follow each other at once: what a keystroke does is often told in two or three parts. */
const burst = 4

/** Lets work be done when it comes up, and not more often in the long run than a screen shows. */
export class FrameRateLimit {
  readonly #work: () => void
  #spentUntilMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(work: () => void) {
    this.#work = work
  }

  /** Does it now, or once as soon as it may be. */
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
