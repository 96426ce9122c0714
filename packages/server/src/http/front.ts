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

/** The head of a request is there within a minute. */
const arrivalMs = 60_000
const keepAliveMs = 72_000

/** A certificate chain and its key, in PEM. */
export interface Tls {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Takes some of the connections that are upgraded. */
export interface UpgradeListener {
  claims(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void
}

export interface FrontParts {
  readonly gateway: MappingGateway
  /** Live views: of people, and of processes that forward people. */
  readonly viewers: readonly UpgradeListener[]
  readonly tls: Tls | undefined
}

/**
 * The one server of the service: the Host of a request tells whether it is for a mapping or for the API, and never both.
 * A connection that is upgraded on the API's host is a viewer's, or nobody's.
 */
export class Front {
  readonly #gateway: MappingGateway
  readonly #viewers: readonly UpgradeListener[]
  readonly #tls: Tls | undefined
  /** Connections on which no request has come yet, such as a browser opens ahead. */
  readonly #silent = new Set<Socket>()

  constructor({ gateway, viewers, tls }: FrontParts) {
    this.#gateway = gateway
    this.#viewers = viewers
    this.#tls = tls
  }

  serve(api: RequestListener): Server {
    const [gateway, viewers] = [this.#gateway, this.#viewers]
    const listenerFor = (request: IncomingMessage): UpgradeListener | undefined => {
      if (gateway.claims(request)) return isWebSocket(request) ? gateway : undefined
      return viewers.find(viewer => viewer.claims(request))
    }
    const options: ServerOptions = {
      keepAliveTimeout: keepAliveMs,
      headersTimeout: arrivalMs,
      // What goes through a mapping may take as long as it likes; body-deadline.ts looks after the API's bodies.
      requestTimeout: 0,
      shouldUpgradeCallback: request => listenerFor(request) !== undefined,
    }
    const dispatch: RequestListener = (request, response) => {
      this.#silent.delete(request.socket)
      if (gateway.claims(request)) return gateway.handle(request, response)
      api(request, response)
    }
    const tls = this.#tls
    const server = tls ? createTlsServer({ ...options, ...tls }, dispatch) : createServer(options, dispatch)
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#silent.add(socket)
      socket.once('close', () => this.#silent.delete(socket))
    })
    return server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#silent.delete(socket)
      listenerFor(request)?.upgrade(request, socket, head)
    })
  }

  /** Node counts a connection as idle only after its first request, and would wait for that. */
  closeUnusedConnections(): void {
    for (const socket of this.#silent) socket.destroy()
  }
}

/** For bytes that are no HTTP request: there is no request to answer, only a connection to close. */
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
