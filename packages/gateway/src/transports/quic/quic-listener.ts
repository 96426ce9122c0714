import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificate } from '../../certificate/certificate.ts'
import type { Certificates } from '../../certificate/certificates.ts'
import type { Welcome } from '../arrival.ts'
import { denoBinary, handToDeno } from './deno.ts'
import { PeerSocket } from './peer-socket.ts'
import { type Limits, socketName } from './relay/relay-config.ts'
import { RelayProcess, type Reports } from './relay-process.ts'

export interface QuicListenerOptions {
  readonly certificates: Certificates
  /** A folder for temporary files, which nothing else uses. */
  readonly folder: string
  /** The address to bind; `::` binds all addresses. */
  readonly host: string
  /**
   * Two UDP ports that successive certificates alternate between, so that two of them can be served at once; 0 is any
   * port.
   */
  readonly ports: readonly [number, number]
  readonly welcome: Welcome
  readonly reports: Reports
  readonly limits?: Partial<Limits>
}

/** A listener, or the reason why there is none. */
export type QuicStart =
  | { readonly listener: QuicListener }
  | { readonly listener?: undefined; readonly absent: string }

/** The kernel limits the path of a unix socket to 107 bytes. */
const maxPathBytes = 107

/** The delay before a relay that failed to start is tried again. */
const retryMs = 30_000

const defaults: Limits = {
  connections: 256,
  connectionsPerAddress: 32,
  handshakes: 256,
  handshakeMs: 10_000,
  silenceMs: 15_000,
}

/**
 * Accepts viewers over WebTransport and QUIC. Each certificate that clients may expect has its own relay and port.
 */
export class QuicListener {
  readonly #options: QuicListenerOptions
  readonly #binary: string
  readonly #socket: string
  readonly #relays = new Map<Certificate, RelayProcess>()
  /**
   * The relays of certificates that are no longer served. A port's previous relay must have exited before the next
   * one starts.
   */
  readonly #retired = new Map<Certificate, RelayProcess>()
  readonly #closing = new AsyncDisposableStack()
  #retry: NodeJS.Timeout | undefined
  #queue: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(options: QuicListenerOptions, binary: string) {
    this.#options = options
    this.#binary = binary
    this.#socket = join(options.folder, socketName)
  }

  static async start(options: QuicListenerOptions): Promise<QuicStart> {
    const binary = denoBinary()
    if (!binary) return { absent: `There is no Deno for ${process.platform} on ${process.arch}.` }
    const listener = new QuicListener(options, binary)
    if (Buffer.byteLength(listener.#socket) > maxPathBytes)
      return { absent: `The path ${listener.#socket} is too long for a unix socket.` }
    try {
      await listener.#open()
      return { listener }
    } catch (error) {
      await listener.close()
      return { absent: error instanceof Error ? error.message : String(error) }
    }
  }

  /** The port of the certificate whose hash is given out; undefined while it does not listen. */
  get port(): number | undefined {
    return this.#relays.get(this.#options.certificates.current)?.port
  }

  /** The process ids of the relays, for monitoring. */
  get pids(): number[] {
    return [...this.#relays.values()].flatMap(({ pid }) => pid ?? [])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue
    await this.#closing.disposeAsync()
  }

  async #open(): Promise<void> {
    const { folder } = this.#options
    const clear = () => rm(folder, { recursive: true, force: true })
    await clear()
    // The folder is private, so only the relays can reach the socket in it.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await handToDeno(folder)
    this.#closing.defer(clear)
    const peers = await PeerSocket.listen(this.#socket, this.#options.welcome)
    await handToDeno(this.#socket)
    this.#closing.defer(() => peers.close())
    this.#closing.defer(async () => {
      const all = [...this.#relays.values(), ...this.#retired.values()]
      await Promise.all(all.map(relay => relay.close()))
    })
    const { certificates } = this.#options
    // Without this relay nobody could connect, so its failure is the listener's failure.
    this.#relays.set(certificates.current, await this.#startRelay(certificates.current))
    await this.#follow()
    certificates.on('changed', this.#onChanged)
    this.#closing.defer(() => {
      certificates.off('changed', this.#onChanged)
      clearTimeout(this.#retry)
    })
  }

  readonly #onChanged = () => {
    this.#queue = this.#queue.then(() => this.#follow())
  }

  /** Keeps one relay per served certificate. The others exit with their last peer. */
  async #follow(): Promise<void> {
    if (this.#isClosed) return
    const { served } = this.#options.certificates
    for (const [certificate, relay] of this.#relays)
      if (!served.includes(certificate)) {
        this.#relays.delete(certificate)
        this.#retired.set(certificate, relay)
        relay.retire()
      }
    for (const certificate of served.filter(one => !this.#relays.has(one)))
      try {
        this.#relays.set(certificate, await this.#startRelay(certificate))
      } catch (error) {
        this.#options.reports.warn(String(error))
        clearTimeout(this.#retry)
        this.#retry = setTimeout(this.#onChanged, retryMs).unref()
      }
  }

  async #startRelay(certificate: Certificate): Promise<RelayProcess> {
    const { folder, host, ports, limits, reports } = this.#options
    const turn = certificate.generation % 2
    for (const [former, relay] of this.#retired)
      if (former.generation % 2 === turn) {
        this.#retired.delete(former)
        await relay.close()
      }
    return RelayProcess.start({
      binary: this.#binary,
      folder,
      host,
      port: ports[turn === 0 ? 0 : 1],
      certificate,
      reports,
      limits: { ...defaults, ...limits },
    })
  }
}
