import type { RoomSession } from '../session/session.ts'
import type { Viewer } from './viewer.ts'

/** Releases held keys when their holder can no longer be heard, since the machine would repeat them forever. */
export class Watchdog {
  readonly #unheardMs: number
  #timer: NodeJS.Timeout | undefined

  constructor(unheardMs: number) {
    this.#unheardMs = unheardMs
  }

  /** Watches for as long as something is held. */
  keep(viewer: Viewer, session: RoomSession): void {
    if (this.#timer !== undefined || !session.isHolding) return
    this.#timer = setInterval(() => {
      if (viewer.unheardMs > this.#unheardMs) void session.release()
      else viewer.ping()
      if (!session.isHolding) this.end()
    }, this.#unheardMs / 2).unref()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
