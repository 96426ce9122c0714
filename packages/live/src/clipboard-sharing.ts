import type { LiveScope } from '@sandglass/protocol'
import { mayRead, readHere, writeHere } from './clipboard.ts'

interface ClipboardPeer {
  scope(): readonly LiveScope[]
  hasControl(): boolean
  send(text: string): void
}

/** Keeps the clipboards of this computer and of the machine in sync, as far as the token and the browser allow. */
export class ClipboardSharing {
  readonly #peer: ClipboardPeer
  /** The text that both clipboards are known to hold. */
  #text: string | undefined

  constructor(peer: ClipboardPeer, signal: AbortSignal) {
    this.#peer = peer
    addEventListener('focus', () => void this.sendLocal(), { signal })
  }

  /** The text in the machine's clipboard; undefined until the machine has sent one. */
  get text(): string | undefined {
    return this.#text
  }

  /**
   * Takes over a text from the machine. Most browsers refuse to write the clipboard without a click, so the page offers
   * a button as well.
   */
  fromMachine(text: string): void {
    this.#text = text
    if (document.hasFocus()) void writeHere(text)
  }

  get maySend(): boolean {
    return this.#peer.hasControl() && this.#peer.scope().includes('clipboard:write')
  }

  /** Sends this computer's clipboard to the machine if the browser lets the page read it without asking the person. */
  async sendLocal(): Promise<void> {
    if (!this.maySend || !(await mayRead())) return
    const text = await readHere()
    if (text !== undefined && text !== '') this.send(text)
  }

  send(text: string): void {
    if (!this.maySend || text === this.#text) return
    this.#text = text
    this.#peer.send(text)
  }
}
