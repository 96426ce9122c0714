import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { HeldProcess } from '../../packages/machines/src/engines/incus/test-cluster/held-process.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** Runs in the namespace. It ends with its standard input, and so with the test. */
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
 * belongs to no network. Returns its URL.
 */
export async function openDoor(netns: string, port: number, folder: string): Promise<string> {
  const path = join(folder, `door-${port}.socket`)
  const args = [`--net=${netns}`, process.execPath, '-e', inside, path, String(port)]
  const held = new HeldProcess('nsenter', args, join(folder, 'doors.log'))
  cleanup.defer(() => held.kill())
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
  cleanup.defer(async () => void server.close())
  const { port: opened } = server.address() as AddressInfo
  return `http://127.0.0.1:${opened}`
}
