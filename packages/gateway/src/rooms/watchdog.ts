import type { InputQueue } from './input-queue.ts'
import type { Viewer } from './viewer.ts'

/** A machine repeats a key that is down: it comes up when the person who holds it cannot be heard. */
export class Watchdog {
  readonly #unheardMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(unheardMs: number) {
    this.#unheardMs = unheardMs
  }

  /** Watches for as long as something is held. */
  keep(viewer: Viewer, inputQueue: InputQueue): void {
    if (this.#timer !== undefined || !inputQueue.isHolding) return
    this.#timer = setInterval(() => {
      if (viewer.unheardMs > this.#unheardMs) void inputQueue.release()
      else viewer.ping()
      if (!inputQueue.isHolding) this.end()
    }, this.#unheardMs / 2).unref()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
