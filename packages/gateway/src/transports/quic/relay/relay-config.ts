/** The unix socket where the service awaits what is carried, in the folder where the program runs. */
export const socketName = 'socket'

/** What the service tells the relay, in one line of JSON on its standard input; the key is never an argument. */
export interface RelayConfig {
  readonly hostname: string
  /** 0 for any. */
  readonly port: number
  readonly key: string
  readonly cert: string
  readonly limits: Limits
}

export interface Limits {
  /** Connections at a time, in all and from one address. */
  readonly connections: number
  readonly connectionsPerAddress: number
  /** Handshakes at a time; further ones are refused until some are done. */
  readonly handshakes: number
  /** How long a peer may take from its first packet to its stream. */
  readonly handshakeMs: number
  /** After which silence a peer has gone. It is asked three times in that time. */
  readonly silenceMs: number
}

/** A line that the service may send after that: no further peer is taken, and the relay ends with the last it has. */
export const retire = 'retire'

/** What the relay says on its standard output once it listens: its port. */
export const listening = /^listening at (\d+)$/

/** ALPN: WebTransport is a part of HTTP/3; the other is our own, one stream without HTTP. */
export const webTransportAlpn = 'h3'
export const quicAlpn = 'sandglass'
/** The only path at which WebTransport is served. */
export const webTransportPath = '/live'

/** What the client is told, as its only argument. */
export interface ClientConfig {
  readonly hostname: string
  readonly port: number
  readonly hashBase64: string
  /** Another than ours is for tests. */
  readonly alpn?: string
}
