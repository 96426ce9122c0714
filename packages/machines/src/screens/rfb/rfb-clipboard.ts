import {
  clientCutText,
  clipboardOffer,
  clipboardRequest,
  clipboardText,
  type RfbEvent,
} from '@sandglass/wire/rfb'

type Send = (bytes: Uint8Array) => void

/**
 * The clipboard of one machine across its connections. Text is transferred on request only: ours when a program
 * pastes, the machine's while somebody watches. A server without the extended clipboard exchanges Latin-1 text
 * immediately instead.
 */
export class RfbClipboard {
  readonly #watchers = new Set<(text: string) => void>()
  #offered: string | undefined
  /** The offered text as it is sent; it is encoded once, however often it is requested. */
  #encoded: Uint8Array | undefined
  #send: Send | undefined
  #isExtended = false
  /** Whether the machine has offered a text that was not requested yet. */
  #isUnread = false

  /** Starts with a new connection. An offer that was made on the previous connection is gone. */
  connected(send: Send): void {
    this.#send = send
    this.#offered = this.#encoded = undefined
    this.#isExtended = false
    this.#isUnread = false
  }

  receive(event: RfbEvent): void {
    switch (event.type) {
      case 'supported':
        if (event.feature !== 'extended-clipboard') return
        this.#isExtended = true
        return
      case 'clipboard-offer':
        this.#isUnread = event.hasText
        this.#ask()
        return
      case 'clipboard-request':
        if (event.what === 'offer') this.#send?.(clipboardOffer(this.#offered !== undefined))
        else this.#send?.(this.#text())
        return
      case 'clipboard':
      case 'cut-text':
        this.#tell(event.text)
        return
      default:
    }
  }

  offer(text: string): void {
    this.#offered = text
    this.#encoded = undefined
    this.#send?.(this.#isExtended ? clipboardOffer(true) : clientCutText(text))
  }

  watch(onCopy: (text: string) => void): () => void {
    this.#watchers.add(onCopy)
    this.#ask()
    return () => void this.#watchers.delete(onCopy)
  }

  #text(): Uint8Array {
    this.#encoded ??= clipboardText(this.#offered ?? '')
    return this.#encoded
  }

  #tell(text: string): void {
    for (const watcher of this.#watchers) watcher(text)
  }

  /** Requests the text once. If another text is offered in the meantime, the server answers only the last request. */
  #ask(): void {
    if (!this.#isUnread || this.#watchers.size === 0) return
    this.#isUnread = false
    this.#send?.(clipboardRequest())
  }
}
