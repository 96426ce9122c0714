import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'

/** Why a WebSocket was not opened. */
export interface Refused {
  readonly status: number
  readonly code: string
}

/** A client of a browser that sends texts, and keeps those that come. */
export class BrowserClient {
  readonly webSocket: WebSocket
  readonly texts: string[] = []
  /** Settles when the connection is closed. */
  readonly closed: Promise<unknown>

  private constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
    this.closed = once(webSocket, 'close')
    webSocket.on('message', data => this.texts.push(data.toString()))
    webSocket.on('error', () => {})
  }

  static async open(url: string, options: ClientOptions = {}): Promise<BrowserClient> {
    const client = await BrowserClient.ask(url, options)
    if (client instanceof BrowserClient) return client
    throw new Error(`It was refused with ${client.status} ${client.code}.`)
  }

  /** Opens a WebSocket, or returns why it was refused. */
  static async ask(url: string, options: ClientOptions = {}): Promise<BrowserClient | Refused> {
    const webSocket = new WebSocket(url, options)
    const { promise, resolve, reject } = Promise.withResolvers<BrowserClient | Refused>()
    webSocket.once('open', () => resolve(new BrowserClient(webSocket)))
    webSocket.once('error', reject)
    webSocket.once('unexpected-response', (_request, response) => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part))
      response.on('end', () => {
        const { code } = JSON.parse(Buffer.concat(parts).toString())
        resolve({ status: response.statusCode ?? 0, code })
      })
    })
    return promise
  }

  send(text: string): void {
    this.webSocket.send(text)
  }
}
