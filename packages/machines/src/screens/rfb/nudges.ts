/**
 * How often a server is nudged while somebody looks. QEMU looks at its screen 30 ms after a nudge, and from then on less
 * and less often for as long as nothing changes: up to 3 s apart.
 */
const intervalMs = 100

/** Keeps a server attentive that looks for changes less often the longer nothing has changed. */
export class Nudges {
  readonly #send: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(send: () => void) {
    this.#send = send
  }

  start(): void {
    this.now()
    this.#timer ??= setInterval(this.#send, intervalMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  now(): void {
    this.#send()
  }
}
