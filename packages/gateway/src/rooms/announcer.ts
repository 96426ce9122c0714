import type { RoomMessage } from '@sandglass/protocol'

/** How often each kind of message is sent at most. */
const intervalMs = 250

/**
 * Sends messages of which only the newest of its kind counts. What comes faster than the interval is left out, so that
 * a crowd that arrives or a busy agent does not flood the viewers.
 */
export class Announcer {
  readonly #send: (message: RoomMessage) => void
  readonly #waiting = new Map<RoomMessage['kind'], RoomMessage>()
  readonly #timers = new Map<RoomMessage['kind'], NodeJS.Timeout>()

  constructor(send: (message: RoomMessage) => void) {
    this.#send = send
  }

  announce(message: RoomMessage): void {
    const { kind } = message
    if (this.#timers.has(kind)) {
      this.#waiting.set(kind, message)
      return
    }
    this.#send(message)
    this.#timers.set(kind, setTimeout(() => this.#next(kind), intervalMs).unref())
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #next(kind: RoomMessage['kind']): void {
    this.#timers.delete(kind)
    const message = this.#waiting.get(kind)
    this.#waiting.delete(kind)
    if (message) this.announce(message)
  }
}
