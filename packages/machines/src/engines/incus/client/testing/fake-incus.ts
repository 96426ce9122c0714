import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ClientCertificate } from '../client-certificate.ts'

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** A server that speaks as much of Incus' interface as a test tells it to. */
export class FakeIncus {
  /** By method and path, such as `GET /1.0/instances`. The query is not part of it. */
  readonly handlers = new Map<string, Handler>()
  /** Every request, with its query. */
  readonly requests: string[] = []
  /** Open websockets by the `secret` or `type` in their address. */
  readonly webSockets = new Map<string, WebSocket>()
  /** Set to answer no pings, as a member that lost its network. */
  isSilent = false
  readonly #server: http.Server
  readonly #upgrades = new WebSocketServer({ noServer: true, autoPong: false })
  readonly #folder: string | undefined
  readonly #sockets = new Set<Duplex>()

  private constructor(server: http.Server, folder?: string) {
    this.#server = server
    this.#folder = folder
    server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    server.on('request', (request, response) => this.#answer(request, response))
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** On a unix socket in a temporary folder, which is removed on close. */
  static async onSocket(): Promise<FakeIncus & { readonly socket: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'fake-incus-'))
    const socket = join(folder, 'unix.socket')
    const fake = new FakeIncus(http.createServer(), folder)
    await new Promise<void>(resolve => fake.#server.listen(socket, resolve))
    return Object.assign(fake, { socket })
  }

  /** With TLS on a free port of the loopback interface. */
  static async onTls({
    certificate: cert,
    key,
  }: ClientCertificate): Promise<FakeIncus & { readonly url: string }> {
    const options = { cert, key, requestCert: true, rejectUnauthorized: false }
    const fake = new FakeIncus(https.createServer(options))
    await new Promise<void>(resolve => fake.#server.listen(0, '127.0.0.1', resolve))
    const address = fake.#server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return Object.assign(fake, { url: `https://127.0.0.1:${port}` })
  }

  /** Answers with metadata. */
  serve(route: string, metadata: unknown): void {
    this.handlers.set(route, (_, response) =>
      response.end(JSON.stringify({ type: 'sync', status_code: 200, metadata })),
    )
  }

  refuse(route: string, status: number, error: string): void {
    this.handlers.set(route, (_, response) =>
      response
        .writeHead(status)
        .end(JSON.stringify({ type: 'error', error_code: status, error, metadata: null })),
    )
  }

  /** Starts a background operation, and returns its id. Its path carries a project, as on another member. */
  start(route: string, metadata: object | null = null): string {
    const id = randomUUID()
    const operation = { id, status: 'Running', status_code: 103, err: '', metadata }
    const body = { type: 'async', operation: `/1.0/operations/${id}?project=p`, metadata: operation }
    this.handlers.set(route, (_, response) => response.writeHead(202).end(JSON.stringify(body)))
    return id
  }

  /** Ends an operation: its waits are answered from now on. */
  end(id: string, statusCode: number, err = '', metadata: object | null = null): void {
    const status = statusCode === 200 ? 'Success' : 'Failure'
    const operation = { id, status, status_code: statusCode, err, metadata }
    this.serve(`GET /1.0/operations/${id}/wait`, operation)
    this.serve(`GET /1.0/operations/${id}`, operation)
  }

  /** Offers a program's channels: their secrets are `fd0`, `fd1`, `fd2` and `control`. */
  offerExec(instance: string): string {
    const fds = { 0: 'fd0', 1: 'fd1', 2: 'fd2', control: 'control' }
    return this.start(`POST /1.0/instances/${instance}/exec`, { fds })
  }

  /** Cuts all connections at once. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    this.cut()
    await closed
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true })
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    this.requests.push(`${request.method} ${request.url}`)
    const { pathname } = new URL(request.url ?? '/', 'http://fake')
    const handler = this.handlers.get(`${request.method} ${pathname}`)
    if (handler) handler(request, response)
    else response.writeHead(404).end('{"type":"error","error_code":404,"error":"not found","metadata":null}')
  }

  #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    this.requests.push(`GET ${request.url}`)
    const { searchParams } = new URL(request.url ?? '/', 'http://fake')
    this.#upgrades.handleUpgrade(request, socket, head, webSocket => {
      webSocket.on('ping', data => this.isSilent || webSocket.pong(data))
      this.webSockets.set(searchParams.get('secret') ?? searchParams.get('type') ?? '', webSocket)
    })
  }
}
