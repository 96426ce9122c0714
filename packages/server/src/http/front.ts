import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { MappingGateway } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import { SocketResponse } from './socket-response.ts'
import type { SocketRoutes } from './socket-routes.ts'

/** The timeout for the headers of a request. */
const headersTimeoutMs = 60_000
const keepAliveMs = 72_000

/** A certificate chain and its private key, in PEM. */
export interface Tls {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Handles some of the upgraded connections. */
export interface UpgradeListener {
  claims(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void
}

export interface FrontParts {
  readonly gateway: MappingGateway
  /** The listeners for live views: of people, and of processes that forward people. */
  readonly viewers: readonly UpgradeListener[]
  /** The operations of the API that answer with a WebSocket. */
  readonly sockets: SocketRoutes
  readonly tls: Tls | undefined
  /** Requests of clients of other services, if they are served. */
  readonly doors: ApiHosts | undefined
}

/** Finds the requests that the API serves at other hosts and paths than its own. */
export interface ApiHosts {
  /** Whether the API serves a request, though its host could be that of a mapping. */
  claims(request: IncomingMessage): boolean
  /** Changes the path of a request to where the API serves it. */
  leadIn(request: IncomingMessage): void
}

/**
 * The HTTP server of the service. The Host of a request decides whether it is for a mapping or for the API, and never
 * for both. An upgrade on the API's host is for a viewer or for an operation that answers with a WebSocket. Any other request
 * for an upgrade is answered without one.
 */
export class Front {
  readonly #gateway: MappingGateway
  readonly #viewers: readonly UpgradeListener[]
  readonly #sockets: SocketRoutes
  readonly #tls: Tls | undefined
  readonly #doors: ApiHosts | undefined
  /** Connections that have not sent a request yet, such as those that browsers open in advance. */
  readonly #unused = new Set<Socket>()

  constructor({ gateway, viewers, sockets, tls, doors }: FrontParts) {
    this.#doors = doors
    this.#gateway = gateway
    this.#viewers = viewers
    this.#sockets = sockets
    this.#tls = tls
  }

  serve(api: RequestListener): Server {
    const gateway = this.#gateway
    const operations: UpgradeListener = {
      claims: request => this.#sockets.claims(request),
      // The operation is routed as any other, and switches protocols itself once the call is admitted.
      upgrade: (request, socket, head) => api(request, new SocketResponse(request, socket, head)),
    }
    const listeners = [...this.#viewers, operations]
    const isMapped = (request: IncomingMessage) =>
      this.#doors?.claims(request) !== true && gateway.claims(request)
    const listenerFor = (request: IncomingMessage): UpgradeListener | undefined => {
      if (isMapped(request)) return isWebSocket(request) ? gateway : undefined
      return listeners.find(listener => listener.claims(request))
    }
    const options: ServerOptions = {
      keepAliveTimeout: keepAliveMs,
      headersTimeout: headersTimeoutMs,
      // A request through a mapping may take any time. The bodies of API requests have their own timeout in
      // body-deadline.ts.
      requestTimeout: 0,
      shouldUpgradeCallback: request => listenerFor(request) !== undefined,
    }
    const dispatch: RequestListener = (request, response) => {
      this.#unused.delete(request.socket)
      if (isMapped(request)) return gateway.handle(request, response)
      this.#doors?.leadIn(request)
      api(request, response)
    }
    const tls = this.#tls
    const server = tls ? createTlsServer({ ...options, ...tls }, dispatch) : createServer(options, dispatch)
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#unused.add(socket)
      socket.once('close', () => this.#unused.delete(socket))
    })
    return server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#unused.delete(socket)
      listenerFor(request)?.upgrade(request, socket, head)
    })
  }

  /**
   * Closes connections that have not sent a request. Node treats a connection as idle only after its first request,
   * so closing the server would wait for them.
   */
  closeUnusedConnections(): void {
    for (const socket of this.#unused) socket.destroy()
  }
}

/** Answers bytes that are not an HTTP request, and closes the connection. */
export function refuseMalformed(error: Error, socket: Socket): void {
  const code = 'code' in error ? error.code : undefined
  if (code === 'HPE_HEADER_OVERFLOW') refuse(socket, new ApiError('request.HEADERS_TOO_LARGE'))
  else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') refuse(socket, new ApiError('request.TIMEOUT'))
  else refuse(socket, new ApiError('request.MALFORMED'))
}

function isWebSocket({ headers: { upgrade } }: IncomingMessage): boolean {
  return upgrade?.toLowerCase() === 'websocket'
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function refuse(socket: Socket, error: ApiError): void {
  const body = JSON.stringify(error)
  socket.end(
    `HTTP/1.1 ${error.status} ${reasons[error.status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
