/** A wait that can be cut short. It does not keep the process alive. */
export class Pause {
  readonly over: Promise<void>
  readonly end: () => void
  readonly #beganAtMs = performance.now()
  #timer: NodeJS.Timeout

  constructor(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#timer = setTimeout(resolve, ms).unref()
    this.over = promise
    this.end = () => {
      clearTimeout(this.#timer)
      resolve()
    }
  }

  /** Makes the wait end `ms` after it began. */
  shortenTo(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.end, ms - (performance.now() - this.#beganAtMs)).unref()
  }
}
