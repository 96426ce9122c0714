import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Welcome } from './arrival.ts'
import { WebSocketStream } from './web-socket-stream.ts'

/** Where WebSockets of viewers are taken. */
export const livePath = '/live'

/** A message may hold several frames, of which a viewer's longest is a clipboard. */
const maxMessageBytes = 2 * 1024 * 1024
/** So much is handed on before the peer's taking is waited for. */
const writeAheadBytes = 256 * 1024

/** Viewers that come by WebSocket, on the server that the API is on. */
export class WebSocketListener {
  readonly #welcome: Welcome
  readonly #addressOf: (request: IncomingMessage) => string
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    clientTracking: false,
  })

  /** The address of a peer is behind whatever proxies are trusted. */
  constructor(welcome: Welcome, addressOf: (request: IncomingMessage) => string) {
    this.#welcome = welcome
    this.#addressOf = addressOf
  }

  /** Whether a request is for this listener. */
  claims({ url = '', headers: { upgrade } }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
    return upgrade?.toLowerCase() === 'websocket' && (url === livePath || url.startsWith(`${livePath}?`))
  }

  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const remoteAddress = this.#addressOf(request)
    socket.setNoDelay(true)
    this.#server.handleUpgrade(request, socket, head, webSocket => {
      const stream = new WebSocketStream(webSocket, writeAheadBytes)
      // What a peer does wrong ends its connection, which whoever reads the stream hears of.
      stream.on('error', () => {})
      this.#welcome({ transport: 'websocket', remoteAddress, stream })
    })
  }
}
