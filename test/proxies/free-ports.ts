import { createSocket } from 'node:dgram'
import { freePort } from '@sandglass/machines/testing'

/** A TCP port that is free, and is the first of three free UDP ports on each of these addresses. */
export async function freePorts(addresses: readonly string[]): Promise<number> {
  for (;;) {
    const port = await freePort()
    const wanted = addresses.flatMap(address => [0, 1, 2].map(offset => ({ address, port: port + offset })))
    const areFree = await Promise.all(wanted.map(({ address, port }) => isFree(address, port)))
    if (areFree.every(Boolean)) return port
  }
}

function isFree(address: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(false))
    socket.bind(port, address, () => socket.close(() => resolve(true)))
  })
}
