import type { IncomingMessage } from 'node:http'
import type { Operation } from '@sandglass/protocol'

/** The paths of what answers with a WebSocket: operations, and the browsers of sandboxes. */
export class SocketRoutes {
  readonly #paths: RegExp[] = []

  add({ path }: Pick<Operation, 'path'>): void {
    this.#paths.push(new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`))
  }

  /** Whether a request asks for one of these WebSockets. All others are answered as if they did not ask for an upgrade. */
  claims({ method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): boolean {
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false
    return this.#paths.some(path => path.test(url))
  }
}
