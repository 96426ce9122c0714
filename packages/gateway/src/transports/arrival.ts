import type { Duplex } from 'node:stream'

/** How a peer reached us. */
export const transports = ['websocket', 'webtransport', 'quic', 'kcp'] as const
export type Transport = (typeof transports)[number]

/** A peer that has connected over one of the transports and has not authenticated yet. */
export interface Arrival {
  readonly transport: Transport
  /** The peer's address, without the port. */
  readonly remoteAddress: string
  /** Another process of the service forwarded the peer here, so it is not forwarded a second time. */
  readonly isForwarded?: boolean
  /**
   * A stream of the frames in wire/frames, in both directions. Transports do not preserve message boundaries: a chunk
   * may hold part of a frame or several frames. Writes return `false` while the peer does not keep up.
   */
  readonly stream: Duplex
}

/** Called with each new peer; must not throw. Destroying the stream closes the connection. */
export type Welcome = (arrival: Arrival) => void
