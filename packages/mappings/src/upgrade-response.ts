import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The response to a request to switch protocols. Any response other than 101 is the last on its connection, since nobody reads
 * requests from it any more. It keeps its connection after a 101 as well, so that it closes with the connection, and the
 * connection with it.
 */
export class UpgradeResponse extends ServerResponse {
  /** `head` is what came after the head of the request, and belongs to the protocol that is switched to. */
  constructor(request: IncomingMessage, socket: Socket, head: Buffer) {
    super(request)
    this.shouldKeepAlive = false
    socket.unshift(head)
    socket.on('error', () => this.destroy())
    this.assignSocket(socket)
    this.once('finish', () => socket.destroySoon())
  }
}
