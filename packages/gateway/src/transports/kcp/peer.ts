import { type SecureContext, TLSSocket } from 'node:tls'
import { type Appointment, clock } from './agenda.ts'
import type { Remote } from './cookies.ts'
import { KcpStream, type KcpStreamParts } from './kcp-stream.ts'

export interface PeerParts extends KcpStreamParts {
  readonly remote: Remote
  /** What its greeting is known by, should it come again. */
  readonly greeting: string
  readonly context: SecureContext
  readonly onSecured: (stream: TLSSocket) => void
  readonly onClosed: () => void
}

/** One conversation of a listener: KCP, TLS over it, and a deadline for securing it. */
export class Peer implements Appointment {
  readonly conv: number
  readonly remote: Remote
  readonly greeting: string
  readonly stream: KcpStream
  #secured = false

  constructor(parts: PeerParts) {
    const { conv, remote, greeting, agenda, deadlines, context, onSecured, onClosed } = parts
    this.conv = conv
    this.remote = remote
    this.greeting = greeting
    this.stream = new KcpStream(parts)
    const secure = new TLSSocket(this.stream, { isServer: true, secureContext: context })
    agenda.at(this, clock() + deadlines.handshakeMs)
    // An error of one is followed by the end of both, which is all that there is to know of it here.
    for (const each of [secure, this.stream]) each.on('error', () => {})
    secure.once('secure', () => {
      this.#secured = true
      agenda.remove(this)
      onSecured(secure)
    })
    secure.once('end', () => secure.end())
    secure.once('close', () => this.stream.destroy())
    this.stream.once('close', () => {
      agenda.remove(this)
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

  keep(): number {
    this.stream.destroy(new Error('the peer did not secure the conversation in time'))
    return Number.POSITIVE_INFINITY
  }
}
