import { carry, writeAll } from './carry.ts'
import { delay } from './delay.ts'
import { acceptPeer, type Peer } from './handshake.ts'
import { type Limits, socketName } from './relay-config.ts'

/** How long a peer may take to read what was still in flight when the service ended the stream. */
const lingerMs = 5_000

/** The peers of the relay. Accepts them up to the limits, and connects each to the service. */
export class Peers {
  readonly #limits: Limits
  readonly #perAddress = new Map<string, number>()
  readonly #held = new Set<Peer>()
  #established = 0
  #handshakes = 0
  #onEmpty: (() => void) | undefined

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#established
  }

  /** Serves a peer until it leaves. Never throws: errors of a peer affect only that peer. */
  async serve(incoming: Deno.QuicIncoming): Promise<void> {
    try {
      const { handshakes, connections } = this.#limits
      const isFull = this.#handshakes >= handshakes || this.#established >= connections
      if (isFull || this.#onEmpty) return incoming.refuse()
      await this.#serve(await this.#accept(incoming))
    } catch {
      // The handshake failed, or the peer left.
    }
  }

  /** Accepts no more peers, and resolves when the last one has left. */
  retire(): Promise<void> {
    return new Promise(resolve => {
      this.#onEmpty = resolve
      if (this.#established === 0) resolve()
    })
  }

  /** The transport times out if the peer falls silent during the handshake. */
  async #accept(incoming: Deno.QuicIncoming): Promise<Deno.QuicConn> {
    this.#handshakes++
    try {
      return await incoming.accept()
    } finally {
      this.#handshakes--
    }
  }

  async #serve(conn: Deno.QuicConn): Promise<void> {
    // An unhandled rejection would end the relay.
    conn.closed.catch(() => {})
    const { hostname } = conn.remoteAddr
    this.#count(hostname, 1)
    try {
      if ((this.#perAddress.get(hostname) ?? 0) > this.#limits.connectionsPerAddress)
        return conn.close({ closeCode: 2, reason: 'too many connections from this address' })
      const peer = await this.#welcome(conn)
      if (peer) await this.#relay(peer, conn, hostname)
    } finally {
      this.#count(hostname, -1)
      conn.close({ closeCode: 0, reason: '' })
    }
  }

  #count(hostname: string, change: 1 | -1): void {
    this.#established += change
    const count = (this.#perAddress.get(hostname) ?? 0) + change
    if (count > 0) this.#perAddress.set(hostname, count)
    else this.#perAddress.delete(hostname)
    if (this.#established === 0) this.#onEmpty?.()
  }

  async #welcome(conn: Deno.QuicConn): Promise<Peer | undefined> {
    const late = setTimeout(
      () => conn.close({ closeCode: 1, reason: 'no stream was opened in time' }),
      this.#limits.handshakeMs,
    )
    try {
      const peer = await acceptPeer(conn)
      if (!peer) conn.close({ closeCode: 3, reason: 'nothing is served there' })
      return peer
    } finally {
      clearTimeout(late)
    }
  }

  /**
   * Relays until the peer has left or the service has ended its side. Closing a connection drops what is in flight,
   * so the peer then gets a while to close it.
   */
  async #relay(peer: Peer, conn: Deno.QuicConn, hostname: string): Promise<void> {
    const socket = await connectToService()
    this.#held.add(peer)
    try {
      await writeAll(socket, new TextEncoder().encode(`${peer.transport} ${hostname}\n`))
      const { toSocket, toStream } = carry(peer.stream, socket)
      const ended = toStream.then(() => delay(lingerMs))
      await Promise.race([conn.closed, ended, Promise.all([toSocket, ended])])
    } finally {
      this.#held.delete(peer)
      socket.close()
    }
  }
}

async function connectToService(): Promise<Deno.UnixConn> {
  try {
    return await Deno.connect({ transport: 'unix', path: socketName })
  } catch (error) {
    console.error(`the service does not take a peer: ${error}`)
    throw error
  }
}
