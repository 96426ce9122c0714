import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Certificate } from '../../certificate/certificate.ts'
import type { Certificates } from '../../certificate/certificates.ts'
import type { Welcome } from '../arrival.ts'
import { denoBinary } from './deno.ts'
import { PeerSocket } from './peer-socket.ts'
import type { Limits } from './relay/orders.ts'
import { RelayProcess, type Reports } from './relay-process.ts'

export interface QuicListenerOptions {
  readonly certificates: Certificates
  /** The address to bind; `::` is every one. */
  readonly host: string
  /** The UDP ports that certificates take in turns, so that two of them can be served at once; 0 is any port. */
  readonly ports: readonly [number, number]
  readonly welcome: Welcome
  readonly reports: Reports
  readonly limits?: Partial<Limits>
}

/** Either it listens, or why it does not. */
export type QuicStart =
  | { readonly listener: QuicListener }
  | { readonly listener?: undefined; readonly absent: string }

const defaults: Limits = { connections: 256, connectionsPerAddress: 32, handshakes: 256, handshakeMs: 10_000 }

/** WebTransport and QUIC: a relay for each certificate that a client may come for, at a port of its own. */
export class QuicListener {
  readonly #options: QuicListenerOptions
  readonly #binary: string
  readonly #folder: string
  readonly #socket: string
  readonly #relays = new Map<Certificate, RelayProcess>()
  readonly #closing = new AsyncDisposableStack()
  #turn: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(options: QuicListenerOptions, binary: string, folder: string) {
    this.#options = options
    this.#binary = binary
    this.#folder = folder
    this.#socket = join(folder, 'peers')
  }

  static async start(options: QuicListenerOptions): Promise<QuicStart> {
    const binary = denoBinary()
    if (!binary) return { absent: `There is no Deno for ${process.platform} on ${process.arch}.` }
    // mkdtemp gives its folder the mode 0700: nobody else reaches the socket in it.
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-quic-'))
    const listener = new QuicListener(options, binary, folder)
    try {
      await listener.#open()
      return { listener }
    } catch (error) {
      await listener.close()
      return { absent: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Where the certificate answers whose hash is given out; undefined while it does not. */
  get port(): number | undefined {
    return this.#relays.get(this.#options.certificates.current)?.port
  }

  /** The processes of the relays, for whoever watches them. */
  get pids(): number[] {
    return [...this.#relays.values()].flatMap(({ pid }) => pid ?? [])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#turn
    await this.#closing.disposeAsync()
  }

  async #open(): Promise<void> {
    this.#closing.defer(() => rm(this.#folder, { recursive: true, force: true }))
    const peers = await PeerSocket.listen(this.#socket, this.#options.welcome)
    this.#closing.defer(() => peers.close())
    this.#closing.defer(async () => {
      await Promise.all([...this.#relays.values()].map(relay => relay.close()))
    })
    const { certificates, reports } = this.#options
    const onChanged = () => {
      this.#turn = this.#turn.then(() => this.#follow()).catch(error => reports.warn(String(error)))
    }
    await this.#follow()
    certificates.on('changed', onChanged)
    this.#closing.defer(() => {
      certificates.off('changed', onChanged)
    })
  }

  /** Has a relay for each certificate that is served, and none for another. */
  async #follow(): Promise<void> {
    if (this.#isClosed) return
    const { certificates, host, ports, limits, reports } = this.#options
    const { served } = certificates
    for (const [certificate, relay] of this.#relays)
      if (!served.includes(certificate)) {
        this.#relays.delete(certificate)
        await relay.close()
      }
    for (const certificate of served) {
      if (this.#relays.has(certificate)) continue
      const port = ports[certificate.generation % 2 === 0 ? 0 : 1]
      const relay = await RelayProcess.start({
        ...{ binary: this.#binary, folder: this.#folder, socket: this.#socket },
        ...{ host, port, certificate, reports, limits: { ...defaults, ...limits } },
      })
      this.#relays.set(certificate, relay)
    }
  }
}
