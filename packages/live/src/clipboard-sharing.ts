import type { LiveScope } from '@sandglass/protocol'
import { mayRead, readHere, writeHere } from './clipboard.ts'

interface Ends {
  scope(): readonly LiveScope[]
  hasControl(): boolean
  send(text: string): void
}

/** Keeps the clipboard of this computer and that of the machine alike, as far as the token and the browser allow. */
export class ClipboardSharing {
  readonly #ends: Ends
  /** What both are known to hold. */
  #text: string | undefined

  constructor(ends: Ends, signal: AbortSignal) {
    this.#ends = ends
    addEventListener('focus', () => void this.bring(), { signal })
  }

  /** What the machine's holds, if it was told. */
  get text(): string | undefined {
    return this.#text
  }

  /** Without a click most browsers refuse; the page offers a button for that. */
  fromMachine(text: string): void {
    this.#text = text
    if (document.hasFocus()) void writeHere(text)
  }

  get maySend(): boolean {
    return this.#ends.hasControl() && this.#ends.scope().includes('clipboard:write')
  }

  /** Brings the text here to the machine, where the browser lets it be read without a question. */
  async bring(): Promise<void> {
    if (!this.maySend || !(await mayRead())) return
    const text = await readHere()
    if (text !== undefined && text !== '') this.send(text)
  }

  send(text: string): void {
    if (!this.maySend || text === this.#text) return
    this.#text = text
    this.#ends.send(text)
  }
}
