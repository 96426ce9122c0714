/** A byte stream in both directions to a gateway, over any transport. */
export interface Link {
  readonly transport: LiveTransport
  send(bytes: Uint8Array): void
  close(): void
  /** Must be called once, before anything is sent. `onClose` is called at most once, and not after `close`. */
  receive(handlers: LinkHandlers): void
}

/** What carries the connection. WebTransport runs over UDP, where a lost packet does not delay the ones after it. */
export type LiveTransport = 'websocket' | 'webtransport'

/** Called by a link as bytes arrive and when the peer closes it. */
export interface LinkHandlers {
  onBytes(bytes: Uint8Array): void
  onClose(): void
}
