import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** What a proxy does with a request in place of passing it on. */
export type Fault = (exchange: Exchange) => unknown

export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Passes the request on, and returns the answer of the service when it begins. */
  forward(path?: string): Promise<IncomingMessage>
}

/** A request that has arrived. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly atMs: number
}

/** A proxy in front of a service that can fail in the ways of proxies and networks. It has a base path if it is given one. */
export class FaultyProxy {
  /** The requests, in their order. */
  readonly seen: Seen[] = []
  readonly #target: URL
  readonly #basePath: string
  readonly #faults: Fault[] = []
  readonly #server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing))
  /** Answers that are not complete. */
  readonly open = new Set<ServerResponse>()

  private constructor(target: string, basePath: string) {
    this.#target = new URL(target)
    this.#basePath = basePath
  }

  static async to(target: string, basePath = ''): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target, basePath)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    cleanup.defer(() => {
      proxy.#server.close()
      proxy.#server.closeAllConnections()
    })
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#basePath}`
  }

  /** Fails the next requests, each in one of these ways. Those after them are passed on. */
  fail(...faults: Fault[]): void {
    this.seen.length = 0
    this.#faults.push(...faults)
  }

  /** Cuts all connections. */
  cut(): void {
    this.#server.closeAllConnections()
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    this.seen.push({ method, path, headers, atMs: performance.now() })
    this.open.add(outgoing)
    outgoing.once('close', () => this.open.delete(outgoing)).on('error', () => {})
    const forward = (other?: string) => this.#forward(incoming, outgoing, other)
    try {
      await (this.#faults.shift() ?? pass)({ incoming, outgoing, forward })
    } catch {
      outgoing.destroy()
    }
  }

  async #forward(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    other?: string,
  ): Promise<IncomingMessage> {
    const path = (other ?? incoming.url ?? '').replace(this.#basePath, '')
    const { hostname, port, host } = this.#target
    const behind = request({
      hostname,
      port,
      path,
      method: incoming.method,
      headers: { ...incoming.headers, host },
    })
    outgoing.once('close', () => behind.destroy())
    incoming.pipe(behind)
    const [answer] = await once(behind, 'response')
    return answer
  }
}

/** A proxy without a fault. */
export const pass: Fault = async ({ outgoing, forward }) => {
  const answer = await forward()
  outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
  outgoing.flushHeaders()
  answer.on('error', () => outgoing.destroy()).pipe(outgoing)
}

export const faults = {
  /** The request does not reach the service. */
  dropBefore: ({ incoming }) => incoming.socket.destroy(),
  /** The service has done it, and its answer is lost. */
  dropAfter: async ({ incoming, forward }) => {
    for await (const _ of await forward());
    incoming.socket.destroy()
  },
  /** Nothing comes. */
  stall: () => {},
  /** Only the first half of the answer comes. */
  stallHalfway: exchange => half(exchange, () => {}),
  /** The connection is lost halfway. */
  dropHalfway: exchange => half(exchange, ({ incoming }) => incoming.socket.destroy()),
  /** The answer looks complete, and is not. */
  truncate: async ({ outgoing, forward }) => {
    const answer = await forward()
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = answer.headers
    const body = await bodyOf(answer)
    outgoing.writeHead(answer.statusCode ?? 0, headers).end(body.subarray(0, body.length / 2))
  },
  /** A service that does not know the operation yet. */
  older: async ({ outgoing, forward }) => {
    const answer = await forward('/api/tomorrow')
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(outgoing)
  },
} as const satisfies Readonly<Record<string, Fault>>

/** The proxy answers itself. */
export function answer(status: number, headers: Readonly<Record<string, string>>, body: unknown): Fault {
  const isText = typeof body === 'string'
  const type = { 'content-type': isText ? 'text/html' : 'application/json' }
  return ({ outgoing }) =>
    outgoing.writeHead(status, { ...type, ...headers }).end(isText ? body : JSON.stringify(body))
}

async function half(exchange: Exchange, then: Fault): Promise<void> {
  const answer = await exchange.forward()
  const body = await bodyOf(answer)
  exchange.outgoing.writeHead(answer.statusCode ?? 0, { ...answer.headers, 'content-length': body.length })
  await new Promise(resolve => exchange.outgoing.write(body.subarray(0, body.length / 2), resolve))
  then(exchange)
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await answer.toArray())
}
