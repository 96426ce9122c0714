import { type SecureContext, TLSSocket } from 'node:tls'
import type { Remote } from './cookies.ts'
import { KcpStream, type KcpStreamParts } from './kcp-stream.ts'
import { clock, type ScheduledTask } from './timer-queue.ts'

export interface PeerParts extends KcpStreamParts {
  readonly remote: Remote
  /** Identifies the client's handshake, so that a repeated one finds the same peer. */
  readonly handshakeKey: string
  readonly context: SecureContext
  readonly onSecured: (stream: TLSSocket) => void
  readonly onClosed: () => void
}

/** One conversation of a listener: KCP, TLS over it, and a deadline for the TLS handshake. */
export class Peer implements ScheduledTask {
  readonly conv: number
  readonly remote: Remote
  readonly handshakeKey: string
  readonly stream: KcpStream
  #secured = false

  constructor(parts: PeerParts) {
    const { conv, remote, handshakeKey, timerQueue, deadlines, context, onSecured, onClosed } = parts
    this.conv = conv
    this.remote = remote
    this.handshakeKey = handshakeKey
    this.stream = new KcpStream(parts)
    const secure = new TLSSocket(this.stream, { isServer: true, secureContext: context })
    timerQueue.at(this, clock() + deadlines.handshakeMs)
    // An error of either closes both, and nothing else needs to be done here. Without listeners it would crash the
    // process.
    for (const each of [secure, this.stream]) each.on('error', () => {})
    secure.once('secure', () => {
      this.#secured = true
      timerQueue.remove(this)
      onSecured(secure)
    })
    secure.once('end', () => secure.end())
    secure.once('close', () => this.stream.destroy())
    this.stream.once('close', () => {
      timerQueue.remove(this)
      secure.destroy()
      onClosed()
    })
  }

  get secured(): boolean {
    return this.#secured
  }

  isAt({ address, port }: Remote): boolean {
    return this.remote.address === address && this.remote.port === port
  }

  runDue(): number {
    this.stream.destroy(new Error('the peer did not complete the TLS handshake in time'))
    return Number.POSITIVE_INFINITY
  }
}
