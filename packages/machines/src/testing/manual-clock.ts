import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../screens/clock.ts'

interface Sleeper {
  readonly endsMs: number
  wake(): void
}

/** A clock that moves only when the test advances it. */
export class ManualClock implements Clock {
  readonly #sleepers = new Set<Sleeper>()
  #nowMs = 0

  now(): number {
    return this.#nowMs
  }

  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper = { endsMs: this.#nowMs + ms, wake: resolve }
    this.#sleepers.add(sleeper)
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      this.#sleepers.delete(sleeper)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Resolves after the callers whose pause is over have run as far as they can. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms
    for (const { endsMs, wake } of this.#sleepers) if (endsMs <= this.#nowMs) wake()
    await turn()
  }
}
