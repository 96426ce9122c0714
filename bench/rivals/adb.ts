import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { Machine } from '@sandglass/machines/contract'
import { TestAdbServer } from '../../packages/machines/src/engines/adb/test-adb-server.ts'

/** Debian's adb with its own server, connected to the device in a machine. */
export class AdbClient {
  readonly #server: TestAdbServer
  readonly #forwarder: Server
  readonly #serial: string

  private constructor(server: TestAdbServer, forwarder: Server, serial: string) {
    this.#server = server
    this.#forwarder = forwarder
    this.#serial = serial
  }

  static async connect(machine: Machine, folder: string): Promise<AdbClient> {
    const forwarder = createServer(async socket => {
      const device = await machine.dial('tcp:127.0.0.1:5555')
      for (const stream of [socket, device]) stream.on('error', () => {})
      socket.setNoDelay()
      socket.pipe(device).pipe(socket)
    })
    forwarder.listen(0, '127.0.0.1')
    await once(forwarder, 'listening')
    const { port } = forwarder.address() as AddressInfo
    const server = await TestAdbServer.start(folder)
    const client = new AdbClient(server, forwarder, `127.0.0.1:${port}`)
    try {
      await server.connect(client.#serial)
      return client
    } catch (error) {
      await client.close()
      throw error
    }
  }

  /** Runs a command and returns its output. */
  run(...words: readonly string[]): Promise<Buffer> {
    return this.#server.run('-s', this.#serial, ...words)
  }

  async close(): Promise<void> {
    await this.#server.close()
    this.#forwarder.close()
  }
}
