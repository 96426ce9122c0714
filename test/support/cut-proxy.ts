import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** A proxy in front of a service whose connections can be cut. */
export class CutProxy {
  readonly url: string
  readonly #sockets: Set<Socket>

  private constructor(port: number, sockets: Set<Socket>) {
    this.url = `http://127.0.0.1:${port}`
    this.#sockets = sockets
  }

  static async start(url: string): Promise<CutProxy> {
    const { hostname, port } = new URL(url)
    const sockets = new Set<Socket>()
    const server = createServer(client => {
      const service = connect(Number(port), hostname)
      for (const [one, other] of [
        [client, service],
        [service, client],
      ] as const) {
        sockets.add(one)
        one
          .on('error', () => {})
          .on('close', () => {
            sockets.delete(one)
            other.destroy()
          })
        one.pipe(other)
      }
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const proxy = new CutProxy((server.address() as AddressInfo).port, sockets)
    cleanup.defer(() => {
      server.close()
      proxy.cut()
    })
    return proxy
  }

  /** Cuts all connections. New ones are possible. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }
}
