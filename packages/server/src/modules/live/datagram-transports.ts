import { join } from 'node:path'
import { Certificates } from '@sandglass/gateway/certificate'
import { KcpListener } from '@sandglass/gateway/kcp'
import { QuicListener } from '@sandglass/gateway/quic'
import { livePath, type Welcome } from '@sandglass/gateway/transports'
import type { Logger } from 'pino'
import type { LiveTransport } from './addresses.ts'

interface DatagramOptions {
  /** The folder for the certificates and for the temporary files of QUIC. */
  readonly data: string
  readonly host: string
  /** The first of three UDP ports: two that QUIC alternates between, and one for KCP. 0 selects free ports. */
  readonly port: number
  readonly welcome: Welcome
  readonly log: Logger
  /** Prints one line for the person who started the service. */
  readonly tell: (line: string) => void
}

/** Node and Deno name the same error in different ways. */
const inUse = /EADDRINUSE|address already in use/i

/**
 * The transports over UDP, which are WebTransport, QUIC and KCP. They share certificates. A transport that cannot be
 * served is left out.
 */
export class DatagramTransports {
  readonly #certificates: Certificates
  readonly #quic: QuicListener | undefined
  readonly #kcp: KcpListener | undefined

  private constructor(
    certificates: Certificates,
    quic: QuicListener | undefined,
    kcp: KcpListener | undefined,
  ) {
    this.#certificates = certificates
    this.#quic = quic
    this.#kcp = kcp
  }

  static async start(options: DatagramOptions): Promise<DatagramTransports> {
    const { data, host, port, welcome, log, tell } = options
    const absent = (transports: string, ports: string, reason: string) => {
      log.warn({ reason }, `not served: ${transports}`)
      const fix = 'or set SANDGLASS_LIVE_UDP_PORT to the first of three free ports (none turns UDP off)'
      if (inUse.test(reason))
        tell(
          `UDP port ${ports} on ${host} is in use, so the live view is not served over ${transports}, only over the other transports. Stop the process that uses it, ${fix}.`,
        )
    }
    const certificates = await Certificates.open({
      folder: join(data, 'certificates'),
      onError: error => log.error({ error }, 'the certificate of the live view could not be renewed'),
    })
    const [quic, kcp] = await Promise.all([
      QuicListener.start({
        certificates,
        host,
        welcome,
        folder: join(data, 'quic'),
        ports: port === 0 ? [0, 0] : [port, port + 1],
        reports: { warn: message => log.warn(message) },
      }),
      KcpListener.listen({
        host,
        welcome,
        port: port === 0 ? 0 : port + 2,
        certificates: () => certificates.served,
      }).catch((error: unknown) => {
        absent('KCP', String(port + 2), String(error))
        return undefined
      }),
    ])
    if (!quic.listener) absent('WebTransport and QUIC', `${port} or ${port + 1}`, quic.absent)
    return new DatagramTransports(certificates, quic.listener, kcp)
  }

  /** The hash of the certificate that new viewers have to expect. */
  get certificateHash(): string {
    return this.#certificates.current.hashBase64
  }

  /** The transports that are available now. */
  get transports(): LiveTransport[] {
    const port = this.#quic?.port
    const quic: LiveTransport[] =
      port === undefined
        ? []
        : [
            { gatewayType: 'WEB_TRANSPORT', port, path: livePath },
            { gatewayType: 'QUIC', port },
          ]
    return this.#kcp ? [...quic, { gatewayType: 'KCP', port: this.#kcp.port }] : quic
  }

  async close(): Promise<void> {
    await Promise.all([this.#quic?.close(), this.#kcp?.close()])
    this.#certificates.close()
  }
}
