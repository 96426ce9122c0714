import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Welcome } from '@sandglass/gateway/transports'
import { liveProtocol, transportIn } from './live-protocol.ts'
import type { Peers } from './peers.ts'

/** Accepts viewers that connected to another process, which forwards them here. */
export class ForwardedViewers {
  readonly #peers: Pick<Peers, 'markOf'>
  readonly #welcome: Welcome

  constructor(peers: Pick<Peers, 'markOf'>, welcome: Welcome) {
    this.#peers = peers
    this.#welcome = welcome
  }

  /** Accepts only requests that a process of this installation has marked, so that nobody else can use this upgrade. */
  claims(request: IncomingMessage): boolean {
    const { headers, url = '' } = request
    if (headers.upgrade !== liveProtocol || transportIn(url) === undefined) return false
    return this.#peers.markOf(request).kind === 'proven'
  }

  upgrade(request: IncomingMessage, stream: Socket, head: Buffer): void {
    const mark = this.#peers.markOf(request)
    const transport = transportIn(request.url ?? '')
    if (mark.kind !== 'proven' || !transport) {
      stream.destroy()
      return
    }
    stream.setNoDelay(true)
    // An error must not be thrown here; whoever reads the stream notices that it has closed.
    stream.on('error', () => {})
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${liveProtocol}\r\n\r\n`,
    )
    stream.unshift(head)
    this.#welcome({ transport, remoteAddress: mark.client.address, stream, isForwarded: true })
  }
}
