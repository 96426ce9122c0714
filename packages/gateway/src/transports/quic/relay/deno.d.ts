/** The parts of Deno 2.9 that the relay and the client use. `deno types --unstable-net` prints all of its types. */
declare namespace Deno {
  interface NetAddr {
    readonly hostname: string
    readonly port: number
  }

  interface CloseInfo {
    closeCode: number
    reason: string
  }

  interface TransportOptions {
    keepAliveInterval?: number
    maxIdleTimeout?: number
    maxConcurrentBidirectionalStreams?: number
    maxConcurrentUnidirectionalStreams?: number
    congestionControl?: 'throughput' | 'low-latency' | 'default'
  }

  class QuicEndpoint {
    constructor(options: NetAddr)
    readonly addr: NetAddr
    listen(
      options: TransportOptions & { alpnProtocols: readonly string[]; key: string; cert: string },
    ): QuicListener
    close(info: CloseInfo): void
  }

  interface QuicListener {
    incoming(): Promise<QuicIncoming>
  }

  /** Reading its address consumes it, as accepting it does, so the address properties are left out here. */
  interface QuicIncoming {
    accept(): Promise<QuicConn>
    refuse(): void
  }

  interface BidirectionalStream {
    readonly readable: ReadableStream<Uint8Array>
    readonly writable: WritableStream<Uint8Array>
  }

  interface QuicConn {
    readonly protocol: string | undefined
    readonly remoteAddr: NetAddr
    readonly closed: Promise<CloseInfo>
    readonly incomingBidirectionalStreams: ReadableStream<BidirectionalStream>
    createBidirectionalStream(): Promise<BidirectionalStream>
    close(info?: CloseInfo): void
  }

  interface WebTransportSession {
    readonly url: string
    readonly closed: Promise<unknown>
  }

  interface UnixConn {
    read(into: Uint8Array): Promise<number | null>
    write(bytes: Uint8Array): Promise<number>
    closeWrite(): Promise<void>
    close(): void
  }

  function upgradeWebTransport(conn: QuicConn): Promise<WebTransportSession>
  function connectQuic(
    options: NetAddr &
      TransportOptions & {
        alpnProtocols: readonly string[]
        serverCertificateHashes: readonly { algorithm: 'sha-256'; value: Uint8Array }[]
      },
  ): Promise<QuicConn>
  function connect(options: { transport: 'unix'; path: string }): Promise<UnixConn>
  function exit(code?: number): never

  const args: readonly string[]
  const stdin: { readonly readable: ReadableStream<Uint8Array> }
}
