/** The unix socket to which the service listens, in the working directory of the program. */
export const socketName = 'socket'

/**
 * The configuration of the relay, as one line of JSON on its standard input. The key is never a command-line
 * argument, since those are visible to other users.
 */
export interface RelayConfig {
  readonly hostname: string
  /** 0 is any free port. */
  readonly port: number
  readonly key: string
  readonly cert: string
  readonly limits: Limits
}

export interface Limits {
  /** Max concurrent connections, in total and per address. */
  readonly connections: number
  readonly connectionsPerAddress: number
  /** Max concurrent handshakes; further ones are refused until some are done. */
  readonly handshakes: number
  /** How long a peer may take from its first packet to its stream. */
  readonly handshakeMs: number
  /** A peer that is silent for this long has left. Three keepalives are sent in that time. */
  readonly silenceMs: number
}

/** A line that the service may send later: accept no more peers and exit with the last one. */
export const retire = 'retire'

/** The line that the relay prints once it listens, with its port. */
export const listening = /^listening at (\d+)$/

/** The ALPN protocols: WebTransport is part of HTTP/3; the other is our own, a single stream without HTTP. */
export const webTransportAlpn = 'h3'
export const quicAlpn = 'sandglass'
export const webTransportPath = '/live'

/** The configuration of the client, as its only argument. */
export interface ClientConfig {
  readonly hostname: string
  readonly port: number
  readonly hashBase64: string
  /** Defaults to ours; tests use others. */
  readonly alpn?: string
}
