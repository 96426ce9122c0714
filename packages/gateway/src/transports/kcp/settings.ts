import type { KcpOptions } from '@sandglass/wire/kcp'

/** The KCP settings of both ends. Only the segment format must match, so other clients may choose differently. */
export const conversation = {
  // The initial size of QUIC, which fits every IPv6 path and most tunnels.
  mtu: 1200,
  sendQueue: 64,
  // For live pictures: resend early, and keep the flow going at 10% loss, which KCP's own congestion window would
  // not.
  noDelay: true,
  fastResend: 2,
  congestionControl: 'delay',
  granularityMs: 10,
  maxTimeoutMs: 2000,
  // Whether a peer is alive is decided by `idleMs` below.
  deadAfter: Number.POSITIVE_INFINITY,
} as const satisfies Partial<KcpOptions>

export type Windows = Required<Pick<KcpOptions, 'sendWindow' | 'receiveWindow'>>

/**
 * Pictures flow to the client, so its window is large; a listener buffers little of what unauthenticated peers send.
 * 512 segments are 600 kB.
 */
export const listenerWindows: Windows = { sendWindow: 512, receiveWindow: 128 }
export const clientWindows: Windows = { sendWindow: 128, receiveWindow: 512 }

export interface Deadlines {
  /** From the first datagram of a conversation to a TLS stream. */
  readonly handshakeMs: number
  /** A peer that is silent for this long gets a keepalive, repeatedly. */
  readonly keepAliveMs: number
  /** A peer that is silent for this long is gone. */
  readonly idleMs: number
}

export const deadlines: Deadlines = { handshakeMs: 10_000, keepAliveMs: 5000, idleMs: 20_000 }

export interface Limits {
  readonly maxPeers: number
  readonly maxPeersPerAddress: number
  readonly cookieLifeMs: number
}

export const limits: Limits = { maxPeers: 1000, maxPeersPerAddress: 32, cookieLifeMs: 10_000 }
