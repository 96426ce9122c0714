export interface KcpOptions {
  /** The number of the conversation, the same at both ends. */
  readonly conv: number
  /** Takes a datagram to the peer, or loses it. */
  readonly send: (datagram: Uint8Array) => void
  /** The largest datagram that is sent. */
  readonly mtu?: number
  /** The largest segment's data that is taken. */
  readonly maxSegmentBytes?: number
  /** How many segments may be on their way at once, if the peer has room for them. */
  readonly sendWindow?: number
  /** How many segments wait to be on their way. */
  readonly sendQueue?: number
  /** How many segments are kept until they are read. The protocol wants at least 128. */
  readonly receiveWindow?: number
  /** Low timeouts that grow slowly: 30 ms at the least and half as much again, in place of 100 ms and twice as much. */
  readonly noDelay?: boolean
  /** Resend a segment when so many acknowledgements overtook it; 0 waits for the timeout. */
  readonly fastResend?: number
  /**
   * What keeps the path from being flooded, beside the room of the two ends: `loss` is KCP's own window, which narrows with every
   * loss; `delay` narrows when segments begin to wait in queues; `none` leaves it to the two ends.
   */
  readonly congestionControl?: 'loss' | 'delay' | 'none'
  /** How much later than at once an acknowledgement may come. */
  readonly granularityMs?: number
  readonly maxTimeoutMs?: number
  /** A segment that was sent so often means that there is no peer. */
  readonly deadAfter?: number
}

export const defaults = {
  mtu: 1400,
  maxSegmentBytes: 1500,
  sendWindow: 32,
  sendQueue: 128,
  receiveWindow: 128,
  noDelay: false,
  fastResend: 0,
  congestionControl: 'loss',
  granularityMs: 100,
  maxTimeoutMs: 60_000,
  deadAfter: 20,
} as const satisfies Partial<KcpOptions>
