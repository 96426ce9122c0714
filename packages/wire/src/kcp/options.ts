/** Options of one end. Both ends must use the same `conv`; all others may differ. */
export interface KcpOptions {
  /** The conversation id, the same at both ends. */
  readonly conv: number
  /** Sends a datagram to the peer. It may be lost. */
  readonly send: (datagram: Uint8Array) => void
  /** The size of the largest datagram that is sent. */
  readonly mtu?: number
  /** The largest segment data that is accepted. */
  readonly maxSegmentBytes?: number
  /** How many segments may be in flight, if the peer's window allows it. */
  readonly sendWindow?: number
  /** How many segments may be queued before they are sent. */
  readonly sendQueue?: number
  /** How many segments are kept until they are read. The protocol requires at least 128. */
  readonly receiveWindow?: number
  /** Lower timeouts that grow more slowly: at least 30 ms and by half each time, instead of 100 ms and doubling. */
  readonly noDelay?: boolean
  /** Resends a segment after this many acknowledgements of later ones; 0 waits for the timeout. */
  readonly fastResend?: number
  /**
   * What prevents flooding the path, in addition to the windows of both ends: `loss` is KCP's own window, which narrows
   * with every loss; `delay` narrows when segments start to queue; `none` has only the windows of both ends.
   */
  readonly congestionControl?: 'loss' | 'delay' | 'none'
  /** How long an acknowledgement may be delayed. */
  readonly granularityMs?: number
  readonly maxTimeoutMs?: number
  /** The peer is considered dead once a segment has been sent this often. */
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
