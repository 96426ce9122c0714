export interface BackoffOptions {
  /** The wait after the first failure. */
  readonly firstMs?: number
  /** The wait doubles with each failure up to this. */
  readonly maxMs?: number
  /** What ran for so long did not fail to start: the next attempt follows at once. */
  readonly steadyMs?: number
}

/** How long to wait before the next attempt. */
export class Backoff {
  readonly firstMs: number
  readonly #maxMs: number
  readonly #steadyMs: number
  #delayMs = 0

  constructor({ firstMs = 100, maxMs = 30_000, steadyMs = 10_000 }: BackoffOptions = {}) {
    this.firstMs = firstMs
    this.#maxMs = maxMs
    this.#steadyMs = steadyMs
  }

  get delayMs(): number {
    return this.#delayMs
  }

  /** One ended after it had run for so long; an attempt that never ran counts as 0. */
  failed(ranForMs = 0): void {
    const isSteady = ranForMs >= this.#steadyMs
    this.#delayMs = isSteady ? 0 : Math.min(Math.max(this.#delayMs * 2, this.firstMs), this.#maxMs)
  }
}
