import type { Socket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { decodeHandshake, encodeHandshake, type HandshakeMessage } from '../handshake.ts'
import { udpSocket } from '../udp.ts'
import { testListenerCertificate } from './start-listener.ts'

/** A peer that sends arbitrary datagrams and records the responses. */
export class RawClient {
  readonly socket: Socket
  readonly #received: Buffer[] = []
  readonly #waiting: ((datagram: Buffer) => void)[] = []

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('message', datagram => {
      const waiting = this.#waiting.shift()
      if (waiting) waiting(datagram)
      else this.#received.push(datagram)
    })
  }

  static async to(port: number, t: TestContext): Promise<RawClient> {
    const socket = udpSocket('127.0.0.1')
    const connected = once(socket, 'connect')
    socket.connect(port, '127.0.0.1')
    await connected
    t.after(() => socket.close())
    return new RawClient(socket)
  }

  send(datagram: Uint8Array): void {
    this.socket.send(datagram)
  }

  next(): Promise<Buffer> {
    const received = this.#received.shift()
    return received ? Promise.resolve(received) : new Promise(resolve => this.#waiting.push(resolve))
  }

  /** Sends a handshake message and returns the response. */
  async ask(message: HandshakeMessage): Promise<HandshakeMessage | undefined> {
    this.send(encodeHandshake(message))
    return decodeHandshake(await this.next())
  }

  async cookie(nonce = Buffer.alloc(8, 1)): Promise<Buffer> {
    const answer = await this.ask({ kind: 'hello', nonce })
    if (answer?.kind !== 'cookie') throw new Error(`no cookie but ${answer?.kind}`)
    return answer.cookie
  }

  /** Returns a cookie to the listener. */
  askToJoin(cookie: Buffer, nonce = Buffer.alloc(8, 1)): Promise<HandshakeMessage | undefined> {
    const certificate = Buffer.from(testListenerCertificate.hash, 'base64').subarray(0, 8)
    return this.ask({ kind: 'join', nonce, cookie, certificate })
  }

  /** Completes the handshake and returns the number of the conversation. */
  async join(nonce = Buffer.alloc(8, 1)): Promise<number> {
    const answer = await this.askToJoin(await this.cookie(nonce), nonce)
    if (answer?.kind !== 'welcome') throw new Error(`no welcome but ${answer?.kind}`)
    return answer.conv
  }
}
