import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/** How many ports are tried, below those that the kernel hands out. */
const span = 10_000
const firstUnprivileged = 1024

/**
 * A port of both TCP and UDP for a program that must be told its port, or that is restarted at the same address. The
 * kernel hands it out to nobody while it is not bound, and no other test gets it as long as this process runs.
 */
export async function freePort(): Promise<number> {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  const end = Math.max(Number.parseInt(range, 10), firstUnprivileged + span)
  for (;;) {
    const port = end - 1 - Math.floor(Math.random() * span)
    if ((await isReserved(port)) && (await isFree(port))) return port
  }
}

/** Names of abstract sockets are unique in a network namespace, as ports are. This one stays until the process ends. */
function isReserved(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(`\0sandglass-test-port-${port}`, () => resolve(true)).unref()
  })
}

async function isFree(port: number): Promise<boolean> {
  const tcp = createServer().listen(port)
  const udp = createSocket('udp4').bind(port)
  try {
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')])
    return true
  } catch {
    return false
  } finally {
    await new Promise(resolve => tcp.close(resolve))
    await new Promise<void>(resolve => udp.close(resolve))
  }
}
