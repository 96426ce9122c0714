import type { Duplex } from 'node:stream'

/** How a peer reached us. */
export const transports = ['websocket', 'webtransport', 'quic', 'kcp'] as const
export type Transport = (typeof transports)[number]

/** A peer that has connected by one of the transports and has not yet said who it is. */
export interface Arrival {
  readonly transport: Transport
  /** The address it came from, without the port. */
  readonly remoteAddress: string
  /** Another process of the service forwarded it here; it is not forwarded a second time. */
  readonly isForwarded?: boolean
  /**
   * Frames of wire/frames, one after another, both ways. Whatever the transport cut them into on the way is gone: a chunk may
   * hold a part of a frame or several. Writes answer `false` while the peer does not take what it was sent.
   */
  readonly stream: Duplex
}

/** Told of each arrival; must not throw. Destroying the arrival's stream ends the connection. */
export type Welcome = (arrival: Arrival) => void
