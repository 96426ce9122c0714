import type { CallOptions } from '../call-options.ts'
import { TimeoutError } from '../errors.ts'
import { pause } from '../pause.ts'

const never = new AbortController().signal

/** Shares one time limit among several calls. */
export class Deadline {
  readonly #options: CallOptions
  readonly #endMs: number

  constructor(options: CallOptions = {}) {
    this.#options = options
    this.#endMs = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY)
  }

  get signal(): AbortSignal {
    return this.#options.signal ?? never
  }

  /** Options for the next call. Throws if the time is up. */
  next(what: string): CallOptions {
    const { idempotencyKey: _, timeoutMs, ...options } = this.#options
    options.signal?.throwIfAborted()
    if (timeoutMs === undefined) return options
    const leftMs = this.#endMs - performance.now()
    if (leftMs <= 0)
      throw new TimeoutError(
        `${what} took longer than ${timeoutMs} ms. Pass a larger timeoutMs to wait longer.`,
        {
          code: 'client.TIMEOUT',
        },
      )
    return { ...options, timeoutMs: leftMs }
  }

  /** Waits before the next call. */
  pause(ms: number): Promise<void> {
    return pause(ms, this.signal)
  }
}
