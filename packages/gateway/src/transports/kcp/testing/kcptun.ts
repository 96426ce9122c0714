import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { crc32 } from 'node:zlib'

/**
 * Debian's kcptun, a TCP tunnel over the Go implementation of KCP. Without encryption, error correction and
 * compression, a datagram is 16 random bytes, a CRC-32 and KCP's own bytes, and the stream is smux version 1.
 */
export const kcptunPackage = {
  name: 'kcptun',
  file: '/usr/bin/kcptun-server',
  why: 'speaks KCP in the tests, by another implementation',
} as const

const plain = ['--crypt', 'none', '--datashard', '0', '--parityshard', '0', '--nocomp', '--mode', 'fast3']

/** Runs kcptun until the returned function is called, and at most until this process exits. */
export function runKcptun(program: 'server' | 'client', args: readonly string[]): () => Promise<void> {
  const command = ['--pdeathsig', 'KILL', `kcptun-${program}`, ...plain, ...args]
  const child = spawn('setpriv', command, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

const noiseBytes = 16

export function wrap(datagram: Uint8Array): Buffer {
  const wrapped = Buffer.alloc(noiseBytes + 4 + datagram.length)
  wrapped.writeUInt32LE(crc32(datagram), noiseBytes)
  wrapped.set(datagram, noiseBytes + 4)
  return wrapped
}

export const unwrap = (wrapped: Buffer): Buffer => wrapped.subarray(noiseBytes + 4)
