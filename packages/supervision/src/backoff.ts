/** Limits of an exponential {@link Backoff}. */
export interface BackoffOptions {
  /** The wait after the first failure. */
  readonly firstMs?: number
  /** The wait doubles with each failure until it reaches this. */
  readonly maxMs?: number
  /** An instance that ran at least this long did not fail to start, so the next attempt follows at once. */
  readonly steadyMs?: number
}

/** Exponential backoff: how long to wait before the next attempt. */
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

  /** Records a failure after `ranForMs` of running; 0 means that the attempt did not get to run. */
  failed(ranForMs = 0): void {
    const isSteady = ranForMs >= this.#steadyMs
    this.#delayMs = isSteady ? 0 : Math.min(Math.max(this.#delayMs * 2, this.firstMs), this.#maxMs)
  }
}
