import type { KcpOptions } from '@sandglass/wire/kcp'

/** How both ends speak KCP. Only the segments' form is agreed, so a client may choose otherwise. */
export const conversation = {
  // What QUIC begins with: passes every path of IPv6, and tunnels.
  mtu: 1200,
  // 256 segments in a round trip of 80 ms are 3.7 MB a second.
  sendWindow: 256,
  sendQueue: 64,
  receiveWindow: 256,
  // Live pictures: resend early, and let neither one loss nor one in ten stop the flow, which KCP's congestion window would.
  noDelay: true,
  fastResend: 2,
  congestionControl: false,
  granularityMs: 10,
  maxTimeoutMs: 2000,
  // Whether a peer is there is decided by what is heard of it.
  deadAfter: Number.POSITIVE_INFINITY,
} as const satisfies Partial<KcpOptions>

export interface Deadlines {
  /** From the first datagram of a conversation to a secured stream. */
  readonly handshakeMs: number
  /** A peer that is silent for so long is asked whether it is there, again and again, */
  readonly keepAliveMs: number
  /** and one that is silent for so long is gone. */
  readonly idleMs: number
}

export const deadlines: Deadlines = { handshakeMs: 10_000, keepAliveMs: 5000, idleMs: 20_000 }

export interface Limits {
  readonly maxPeers: number
  readonly maxPeersPerAddress: number
  readonly cookieLifeMs: number
}

export const limits: Limits = { maxPeers: 1000, maxPeersPerAddress: 32, cookieLifeMs: 10_000 }
