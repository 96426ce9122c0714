import type { KcpOptions } from '@sandglass/wire/kcp'

/** How both ends speak KCP. Only the form of segments is agreed, so another client may choose otherwise. */
export const conversation = {
  // What QUIC begins with: passes every path of IPv6, and tunnels.
  mtu: 1200,
  sendQueue: 64,
  // Live pictures: resend early, and let one loss in ten not stop the flow, as KCP's own congestion window would.
  noDelay: true,
  fastResend: 2,
  congestionControl: 'delay',
  granularityMs: 10,
  maxTimeoutMs: 2000,
  // Whether a peer is there is decided by what is heard of it.
  deadAfter: Number.POSITIVE_INFINITY,
} as const satisfies Partial<KcpOptions>

export type Windows = Required<Pick<KcpOptions, 'sendWindow' | 'receiveWindow'>>

/** Pictures flow to the client, and a listener keeps little of what strangers send. 512 segments are 600 kB. */
export const listenerWindows: Windows = { sendWindow: 512, receiveWindow: 128 }
export const clientWindows: Windows = { sendWindow: 128, receiveWindow: 512 }

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
