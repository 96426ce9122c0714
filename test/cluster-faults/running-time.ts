const tickMs = 100
/** A tick that is later than this was held up by a box that stood still. */
const maxTickMs = 5 * tickMs

/**
 * A clock that stands still while the box does. What is promised within some seconds is judged by it, because nothing can be done on a
 * box that does not even let a timer run.
 */
export class RunningTime {
  readonly #timer: NodeJS.Timeout
  #lastMs = performance.now()
  #ranMs = 0

  constructor() {
    this.#timer = setInterval(() => this.#tick(), tickMs).unref()
  }

  /** How long the box has run since this was made, in ms. */
  get nowMs(): number {
    this.#tick()
    return this.#ranMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const nowMs = performance.now()
    this.#ranMs += Math.min(nowMs - this.#lastMs, maxTickMs)
    this.#lastMs = nowMs
  }
}
