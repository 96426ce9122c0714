import type { RemoteInfo, Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Welcome } from '../arrival.ts'
import { Cookies, type Remote } from './cookies.ts'
import {
  decodeHandshake,
  encodeHandshake,
  type HandshakeMessage,
  isHandshake,
  type Join,
  type Refusal,
} from './handshake.ts'
import { Peer } from './peer.ts'
import { Peers } from './peers.ts'
import { type Deadlines, deadlines, type Limits, limits, listenerWindows } from './settings.ts'
import { clock, TimerQueue } from './timer-queue.ts'
import { type Certificate, TlsContexts } from './tls-contexts.ts'
import { lost, plainAddress, udpSocket } from './udp.ts'

export interface KcpListenerOptions {
  readonly host: string
  /** 0 is any free port. */
  readonly port: number
  /** The certificates that clients may expect. Called for each new peer, so that they can change. */
  readonly certificates: () => readonly Certificate[]
  readonly welcome: Welcome
  readonly limits?: Partial<Limits>
  readonly deadlines?: Partial<Deadlines>
}

export interface KcpCounts {
  /** The number of conversations. */
  readonly peers: number
  /** The conversations whose TLS handshake is not complete. */
  readonly securing: number
  /**
   * Totals since the start: cookies sent, peers admitted and refused, and datagrams that belong to no conversation or
   * handshake.
   */
  readonly cookies: number
  readonly joined: number
  readonly refused: number
  readonly strays: number
}

/** The smallest datagram of a conversation: one segment without data. */
const minDatagramBytes = 24

/** Accepts peers on one UDP port: handshake, KCP, then TLS 1.3. After that the stream is passed to `welcome`. */
export class KcpListener {
  readonly #socket: Socket
  readonly #welcome: Welcome
  readonly #contexts: TlsContexts
  readonly #deadlines: Deadlines
  readonly #cookies: Cookies
  readonly #peers: Peers
  readonly #timerQueue = new TimerQueue()
  readonly #counts = { cookies: 0, joined: 0, refused: 0, strays: 0 }
  #closed = false

  private constructor(socket: Socket, options: KcpListenerOptions) {
    const merged = { ...limits, ...options.limits }
    this.#socket = socket
    this.#welcome = options.welcome
    this.#contexts = new TlsContexts(options.certificates)
    this.#deadlines = { ...deadlines, ...options.deadlines }
    this.#cookies = new Cookies(merged.cookieLifeMs)
    this.#peers = new Peers(merged)
    socket.on('message', (datagram, remote) => this.#receive(datagram, remote))
    // A socket error concerns a single datagram, which then counts as lost.
    socket.on('error', lost)
  }

  static async listen(options: KcpListenerOptions): Promise<KcpListener> {
    const socket = udpSocket(options.host)
    try {
      const listening = once(socket, 'listening')
      socket.bind(options.port, options.host)
      await listening
      return new KcpListener(socket, options)
    } catch (error) {
      socket.close()
      throw error
    }
  }

  get port(): number {
    return this.#socket.address().port
  }

  get counts(): KcpCounts {
    return { peers: this.#peers.size, securing: this.#peers.securing, ...this.#counts }
  }

  /** Ends every conversation and frees the port. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const closing = this.#peers
      .all()
      .map(({ stream }) => new Promise(closed => stream.once('close', closed).destroy()))
    await Promise.all(closing)
    await new Promise<void>(done => this.#socket.close(done))
  }

  #receive(datagram: Buffer, remote: RemoteInfo): void {
    if (this.#closed) return
    if (isHandshake(datagram)) this.#onHandshake(decodeHandshake(datagram), remote)
    else if (datagram.length >= minDatagramBytes) this.#converse(datagram, remote)
    else this.#counts.strays++
  }

  #onHandshake(message: HandshakeMessage | undefined, remote: RemoteInfo): void {
    if (message?.kind === 'hello') {
      this.#counts.cookies++
      const { nonce } = message
      this.#answer({ kind: 'cookie', nonce, cookie: this.#cookies.issue(remote, nonce, clock()) }, remote)
    } else if (message?.kind === 'join') this.#join(message, remote)
    else if (message?.kind === 'reset') {
      const peer = this.#peers.withConv(message.conv)
      if (peer?.isAt(remote)) peer.stream.peerLeft()
    } else this.#counts.strays++
  }

  #join({ nonce, cookie, certificate }: Join, remote: RemoteInfo): void {
    if (!this.#cookies.isValid(cookie, remote, nonce, clock())) {
      this.#refuse('stale', nonce, remote)
      return
    }
    const handshakeKey = `${remote.address} ${remote.port} ${nonce.toString('hex')}`
    // The client repeats its handshake if our response was lost.
    const peer = this.#peers.withHandshakeKey(handshakeKey) ?? this.#admit(handshakeKey, certificate, remote)
    if (typeof peer === 'string') this.#refuse(peer, nonce, remote)
    else this.#answer({ kind: 'welcome', nonce, conv: peer.conv }, remote)
  }

  #admit(handshakeKey: string, certificate: Buffer, { address, port }: Remote): Peer | Refusal {
    if (!this.#peers.hasCapacityFor(address)) return 'full'
    const context = this.#contexts.named(certificate)
    if (!context) return 'unknown'
    const conv = this.#peers.freshConv()
    const peer = new Peer({
      conv,
      handshakeKey,
      context,
      remote: { address, port },
      timerQueue: this.#timerQueue,
      deadlines: this.#deadlines,
      windows: listenerWindows,
      send: datagram => this.#socket.send(datagram, port, address, lost),
      onSecured: stream => this.#welcome({ transport: 'kcp', remoteAddress: plainAddress(address), stream }),
      onClosed: () => {
        this.#peers.remove(peer)
        this.#answer({ kind: 'reset', conv }, { address, port })
      },
    })
    this.#peers.add(peer)
    this.#counts.joined++
    return peer
  }

  /** An unknown conversation, such as one from before a restart, is answered with a reset. */
  #converse(datagram: Buffer, remote: RemoteInfo): void {
    const conv = datagram.readUInt32LE()
    const peer = this.#peers.withConv(conv)
    if (peer?.isAt(remote)) peer.stream.receive(datagram)
    else {
      this.#counts.strays++
      this.#answer({ kind: 'reset', conv }, remote)
    }
  }

  #refuse(reason: Refusal, nonce: Buffer, remote: Remote): void {
    this.#counts.refused++
    this.#answer({ kind: 'refusal', nonce, reason }, remote)
  }

  #answer(message: HandshakeMessage, { address, port }: Remote): void {
    this.#socket.send(encodeHandshake(message), port, address, lost)
  }
}
