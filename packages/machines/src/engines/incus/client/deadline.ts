import { unreachable } from './errors.ts'

/** The time by which a call must have ended, and the caller's wish to end it earlier. */
export class Deadline {
  readonly signal: AbortSignal
  readonly #caller: AbortSignal | undefined
  readonly #ms: number
  readonly #endsAtMs: number

  constructor(ms: number, caller?: AbortSignal) {
    this.#ms = ms
    this.#caller = caller
    this.#endsAtMs = performance.now() + ms
    const timeout = AbortSignal.timeout(Math.ceil(ms))
    this.signal = caller ? AbortSignal.any([timeout, caller]) : timeout
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now())
  }

  /** What the call is rejected with once the signal has fired. */
  error(what: string): unknown {
    if (this.#caller?.aborted) return this.#caller.reason
    return unreachable(`${what}: Incus did not answer within ${Math.ceil(this.#ms) / 1000} s.`)
  }
}
