import type { Clock } from '../clock.ts'

/** Programs announce themselves for a few seconds; one that never shows a window is forgotten after this. */
const maxAgeMs = 9000
const maxPending = 20
const maxTextLength = 4000
const maxTexts = 20

/**
 * Reads the messages of the startup notification protocol of freedesktop.org: `new: ID=x …` from whoever starts a
 * program, `remove: ID=x` when its window is there. A text arrives in pieces of 20 bytes, and ends with a zero byte.
 */
export class StartupNotes {
  readonly #clock: Clock
  readonly #texts = new Map<number, string>()
  readonly #pending = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isPending(): boolean {
    const nowMs = this.#clock.now()
    for (const [id, sinceMs] of this.#pending) if (nowMs - sinceMs > maxAgeMs) this.#pending.delete(id)
    return this.#pending.size > 0
  }

  /** Takes a client message. Pieces of several texts may be mixed; the window tells them apart. */
  receive(message: Uint8Array, isFirst: boolean): void {
    const window = new DataView(message.buffer, message.byteOffset).getUint32(4, true)
    const piece = Buffer.from(message.subarray(12, 32))
    const end = piece.indexOf(0)
    const before = isFirst ? '' : this.#texts.get(window)
    if (before === undefined) return
    const text = before + piece.toString('latin1', 0, end < 0 ? piece.length : end)
    this.#texts.delete(window)
    if (end >= 0) this.#note(text)
    else if (text.length < maxTextLength && this.#texts.size < maxTexts) this.#texts.set(window, text)
  }

  #note(text: string): void {
    const [, kind, id = ''] = /^(new|remove):.*?\bID="?([^"\s]+)/.exec(text) ?? []
    if (kind === 'remove') this.#pending.delete(id)
    if (kind === 'new' && this.#pending.size < maxPending) this.#pending.set(id, this.#clock.now())
  }
}
