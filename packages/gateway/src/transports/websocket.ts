import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Welcome } from './arrival.ts'
import { WebSocketStream } from './web-socket-stream.ts'

/** The path at which viewers connect by WebSocket. */
export const livePath = '/live'

/** A message may hold several frames. The longest frame from a viewer is a clipboard text. */
const maxMessageBytes = 2 * 1024 * 1024
/** How much is written ahead of what the peer has accepted. */
const writeAheadBytes = 256 * 1024

/** Accepts viewers over WebSocket, on the same server as the API. */
export class WebSocketListener {
  readonly #welcome: Welcome
  readonly #addressOf: (request: IncomingMessage) => string
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    clientTracking: false,
  })

  /** `addressOf` returns the address of the peer behind any trusted proxies. */
  constructor(welcome: Welcome, addressOf: (request: IncomingMessage) => string) {
    this.#welcome = welcome
    this.#addressOf = addressOf
  }

  claims({ url = '', headers: { upgrade } }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
    return upgrade?.toLowerCase() === 'websocket' && (url === livePath || url.startsWith(`${livePath}?`))
  }

  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const remoteAddress = this.#addressOf(request)
    socket.setNoDelay(true)
    this.#server.handleUpgrade(request, socket, head, webSocket => {
      const stream = new WebSocketStream(webSocket, writeAheadBytes)
      // Protocol errors close the connection, which the reader of the stream notices. Without a listener an error
      // would crash the process.
      stream.on('error', () => {})
      this.#welcome({ transport: 'websocket', remoteAddress, stream })
    })
  }
}
