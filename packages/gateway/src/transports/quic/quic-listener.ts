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
  /** A folder for it alone, of which nothing lasts. */
  readonly folder: string
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

/** A unix socket's path holds 107 bytes. */
const maxPathBytes = 107

/** When a relay that could not be started is tried again. */
const retryMs = 30_000

const defaults: Limits = {
  connections: 256,
  connectionsPerAddress: 32,
  handshakes: 256,
  handshakeMs: 10_000,
  silenceMs: 15_000,
}

/** WebTransport and QUIC: a relay for each certificate that a client may come for, at a port of its own. */
export class QuicListener {
  readonly #options: QuicListenerOptions
  readonly #binary: string
  readonly #socket: string
  readonly #relays = new Map<Certificate, RelayProcess>()
  /** Those whose certificates are no longer served; a port's former one has gone when its next one starts. */
  readonly #retired = new Map<Certificate, RelayProcess>()
  readonly #closing = new AsyncDisposableStack()
  #retry: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
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
    const { folder } = this.#options
    const clear = () => rm(folder, { recursive: true, force: true })
    await clear()
    // Nobody else reaches the socket in it.
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
    // Without this one nobody could come, so that its failure is the listener's.
    this.#relays.set(certificates.current, await this.#startRelay(certificates.current))
    await this.#follow()
    certificates.on('changed', this.#onChanged)
    this.#closing.defer(() => {
      certificates.off('changed', this.#onChanged)
      clearTimeout(this.#retry)
    })
  }

  readonly #onChanged = () => {
    this.#turn = this.#turn.then(() => this.#follow())
  }

  /** Has a relay for each certificate that is served; one for another ends with its last peer. */
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
