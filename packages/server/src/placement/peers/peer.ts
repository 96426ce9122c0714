import { type Client, peerHeader } from '@sandglass/mappings'
import { Pool } from 'undici'
import type { Marks } from './mark.ts'

/** Shorter than the keep-alive timeout of our server, so that the server never closes a connection that is being reused. */
const keepAliveMs = 60_000
const connectTimeoutMs = 5000
/** The default timeout for the response headers of a call. */
export const headTimeoutMs = 9000

/** Another process of the service, with a pool of connections to it. */
export class Peer {
  readonly nodeId: string
  readonly url: string
  readonly pool: Pool
  readonly #marks: Marks
  /** The path of its URL, which a reverse proxy in front of it may require. */
  readonly #prefix: string

  constructor(nodeId: string, url: string, marks: Marks) {
    const { origin, pathname } = new URL(url)
    this.nodeId = nodeId
    this.url = url
    this.#marks = marks
    this.#prefix = pathname.replace(/\/+$/, '')
    this.pool = new Pool(origin, {
      // HTTP/2 has no connection upgrades, which live connections need.
      allowH2: false,
      connect: { timeout: connectTimeoutMs },
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      headersTimeout: headTimeoutMs,
      bodyTimeout: 0,
    })
  }

  urlOf(path: string): string {
    return this.#prefix + path
  }

  /** Returns the header that proves to the peer that this process forwards the request, and for which client. */
  mark(method: string, path: string, client: Client): [string, string] {
    return [peerHeader, this.#marks.make({ to: this.nodeId, method, path }, client)]
  }
}
