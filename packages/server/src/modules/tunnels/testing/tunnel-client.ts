import { once } from 'node:events'
import { waitFor } from '@sandglass/machines/testing'
import { WebSocket } from 'ws'
import { cleanup } from '../../../testing/cleanup.ts'

/** How a tunnel was refused. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The caller's end of a tunnel. */
export class TunnelClient {
  readonly webSocket: WebSocket
  /** What came and was not consumed by `onData`. */
  readonly received: Buffer[] = []
  onData: ((data: Buffer) => void) | undefined
  hasEnded = false
  closed: { readonly code: number; readonly reason: string } | undefined

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
    webSocket.on('message', (data: Buffer) => {
      if (data.length === 0) this.hasEnded = true
      else if (this.onData) this.onData(data)
      else this.received.push(data)
    })
    webSocket.on('error', () => {})
    webSocket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
    })
    cleanup.defer(() => webSocket.terminate())
  }

  get text(): string {
    return Buffer.concat(this.received).toString()
  }

  send(data: string | Buffer): void {
    this.webSocket.send(Buffer.from(data))
  }

  /** Sends many bytes, and no faster than they are accepted. */
  async sendAll(pieces: Iterable<Buffer>): Promise<void> {
    for (const piece of pieces)
      await new Promise<void>((resolve, reject) =>
        this.webSocket.send(piece, error => (error ? reject(error) : resolve())),
      )
  }

  end(): void {
    this.webSocket.send(Buffer.alloc(0))
  }

  async untilClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    await waitFor(async () => this.closed !== undefined)
    return this.closed ?? { code: 0, reason: '' }
  }
}

/** A service, and an organization of it whose path `~` stands for. */
export interface Served {
  readonly service: { readonly url: string; readonly credentials: { readonly apiKey: string } }
  expand(path: string): string
}

interface Asked {
  readonly key?: string | null
  readonly headers?: Record<string, string>
}

/** Opens a tunnel, or returns how it was refused. */
export async function askForTunnel(
  service: Served,
  path: string,
  { key = service.service.credentials.apiKey, headers = {} }: Asked = {},
): Promise<TunnelClient | Refusal> {
  const url = service.service.url.replace(/^http/, 'ws') + service.expand(path)
  const webSocket = new WebSocket(url, {
    perMessageDeflate: false,
    headers: { ...(key !== null && { 'x-api-key': key }), ...headers },
  })
  const client = new TunnelClient(webSocket)
  const refused = Promise.withResolvers<Refusal>()
  webSocket.once('unexpected-response', (request, response) => {
    let body = ''
    response.on('data', piece => {
      body += piece
    })
    response.on('end', () => {
      const { code, message } = JSON.parse(body)
      refused.resolve({ status: response.statusCode ?? 0, code, message, headers: response.headers })
      request.destroy()
    })
  })
  return await Promise.race([once(webSocket, 'open').then(() => client), refused.promise])
}

/** Opens a tunnel to a port of a sandbox. Throws if it is refused. */
export async function openTunnel(
  service: Served,
  id: string,
  port: number | string,
  asked: Asked = {},
): Promise<TunnelClient> {
  const client = await askForTunnel(service, `~/sandboxes/${id}/tunnel/${port}`, asked)
  if (client instanceof TunnelClient) return client
  throw new Error(`${client.status} ${client.code}: ${client.message}`)
}
