import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Welcome } from '../arrival.ts'

/** A header holds a transport and an address. */
const maxHeaderBytes = 100

/**
 * The unix socket to which relays forward peers, one connection per peer. Each begins with a header line that
 * describes the peer.
 */
export class PeerSocket {
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor(welcome: Welcome) {
    this.#server = createServer(socket => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      // The end of the stream is all that readers need to know about a lost peer.
      socket.on('error', () => {})
      readHeader(socket, welcome)
    })
  }

  static async listen(path: string, welcome: Welcome): Promise<PeerSocket> {
    const socket = new PeerSocket(welcome)
    socket.#server.listen(path)
    await once(socket.#server, 'listening')
    return socket
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
    await closed
  }
}

function readHeader(socket: Socket, welcome: Welcome): void {
  let head = Buffer.alloc(0)
  const onReadable = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\n')
      if (end < 0 && head.length < maxHeaderBytes) continue
      socket.off('readable', onReadable)
      const line = head.subarray(0, Math.max(end, 0)).toString('latin1')
      const [, transport, address] = /^(webtransport|quic) (\S+)$/.exec(line) ?? []
      if ((transport !== 'webtransport' && transport !== 'quic') || !address) return void socket.destroy()
      if (head.length > end + 1) socket.unshift(head.subarray(end + 1))
      return welcome({ transport, remoteAddress: address.replace(/^::ffff:(?=\d+\.)/, ''), stream: socket })
    }
  }
  socket.on('readable', onReadable)
}
