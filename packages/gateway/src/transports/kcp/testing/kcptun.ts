import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { crc32 } from 'node:zlib'

/**
 * Debian's kcptun: a tunnel for TCP over the KCP of Go. Without encryption, correction and compression its datagrams are 16 bytes
 * of noise, a CRC-32 and KCP's own, and its stream is smux, version 1.
 */
export const kcptunPackage = {
  name: 'kcptun',
  file: '/usr/bin/kcptun-server',
  why: 'speaks KCP in the tests, by another implementation',
} as const

const plain = ['--crypt', 'none', '--datashard', '0', '--parityshard', '0', '--nocomp', '--mode', 'fast3']

/** Runs until what it gives is called, and no longer than this process. */
export function runKcptun(program: 'server' | 'client', args: readonly string[]): () => Promise<void> {
  const command = ['--pdeathsig', 'KILL', `kcptun-${program}`, ...plain, ...args]
  const child = spawn('setpriv', command, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

/** A port of UDP that was free a moment ago. */
export async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}

const noiseBytes = 16

export function wrap(datagram: Uint8Array): Buffer {
  const wrapped = Buffer.alloc(noiseBytes + 4 + datagram.length)
  wrapped.writeUInt32LE(crc32(datagram), noiseBytes)
  wrapped.set(datagram, noiseBytes + 4)
  return wrapped
}

export const unwrap = (wrapped: Buffer): Buffer => wrapped.subarray(noiseBytes + 4)
