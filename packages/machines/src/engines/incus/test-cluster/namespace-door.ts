import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { HeldProcess } from './held-process.ts'

/** Runs in the namespace. It ends with its standard input, and so with the process that opened the door. */
const inside = `const { connect, createServer } = require('node:net')
const [path, port] = process.argv.slice(1)
createServer(outer => {
  const inner = connect(Number(port), '127.0.0.1')
  outer.on('error', () => inner.destroy()).on('close', () => inner.destroy()).pipe(inner)
  inner.on('error', () => outer.destroy()).on('close', () => outer.destroy()).pipe(outer)
}).listen(path, () => console.log('up'))
process.stdin.on('end', () => process.exit()).resume()`

/**
 * Makes a port on the loopback of a network namespace reachable on the loopback of the host, through a unix socket, which
 * belongs to no network.
 */
export class NamespaceDoor {
  readonly url: string
  readonly #server: Server
  readonly #held: HeldProcess

  private constructor(server: Server, held: HeldProcess) {
    const { port } = server.address() as AddressInfo
    this.url = `http://127.0.0.1:${port}`
    this.#server = server
    this.#held = held
  }

  /** The socket is in `folder`, with what the process in the namespace complains about. */
  static async open(netns: string, port: number, folder: string): Promise<NamespaceDoor> {
    const path = join(folder, `door-${port}.socket`)
    const args = [`--net=${netns}`, process.execPath, '-e', inside, path, String(port)]
    const held = new HeldProcess('nsenter', args, join(folder, 'doors.log'))
    await held.line()
    const server = createServer(outer => {
      const inner = connect(path)
      for (const [one, other] of [
        [outer, inner],
        [inner, outer],
      ] satisfies [Socket, Socket][])
        one
          .on('error', () => other.destroy())
          .on('close', () => other.destroy())
          .pipe(other)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new NamespaceDoor(server, held)
  }

  async close(): Promise<void> {
    this.#server.close()
    await this.#held.kill()
  }
}
