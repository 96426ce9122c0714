/** A stream of bytes each way to a gateway, whatever carries it. */
export interface Link {
  readonly transport: LiveTransport
  send(bytes: Uint8Array): void
  close(): void
  /** Called once, before anything is sent. `onClose` is called once at the most, and not after `close`. */
  receive(handlers: LinkHandlers): void
}

export type LiveTransport = 'websocket' | 'webtransport'

export interface LinkHandlers {
  onBytes(bytes: Uint8Array): void
  onClose(): void
}
