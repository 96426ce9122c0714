import { type Client, peerHeader } from '@sandglass/mappings'
import { Pool } from 'undici'
import type { Marks } from './mark.ts'

/** Less than a server of ours keeps an unused connection, so that it is never closed while it is being used again. */
const keepAliveMs = 60_000
const connectTimeoutMs = 5000
/** For the head of an answer, where a call does not say otherwise. */
export const headTimeoutMs = 9000

/** Another process of the service, and the connections to it that are kept open. */
export class Peer {
  readonly nodeId: string
  readonly url: string
  readonly pool: Pool
  readonly #marks: Marks
  /** The path of its URL, which a proxy before it may need. */
  readonly #prefix: string

  constructor(nodeId: string, url: string, marks: Marks) {
    const { origin, pathname } = new URL(url)
    this.nodeId = nodeId
    this.url = url
    this.#marks = marks
    this.#prefix = pathname.replace(/\/+$/, '')
    this.pool = new Pool(origin, {
      // Only HTTP/1.1 upgrades connections.
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

  /** The header that proves to the peer who forwards a request, and for whom. */
  mark(method: string, path: string, client: Client): [string, string] {
    return [peerHeader, this.#marks.make({ to: this.nodeId, method, path }, client)]
  }
}
