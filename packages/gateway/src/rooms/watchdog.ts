import type { Hands } from './hands.ts'
import type { Viewer } from './viewer.ts'

/** A machine repeats a key that is down: it comes up when the person who holds it cannot be heard. */
export class Watchdog {
  readonly #unheardMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(unheardMs: number) {
    this.#unheardMs = unheardMs
  }

  /** Watches for as long as something is held. */
  keep(viewer: Viewer, hands: Hands): void {
    if (this.#timer !== undefined || !hands.isHolding) return
    this.#timer = setInterval(() => {
      if (viewer.unheardMs > this.#unheardMs) void hands.release()
      else viewer.ping()
      if (!hands.isHolding) this.end()
    }, this.#unheardMs / 2).unref()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
