import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export type Confined = ChildProcessByStdio<Writable, Readable, null>

/** A user of nobody's, without capabilities or ways to more, in a network where nobody else is. */
const confinement = [
  ...['unshare', '--net', '--ipc', '--'],
  ...[
    'setpriv',
    '--reuid=65534',
    '--regid=65534',
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    '--',
  ],
]

/**
 * A program that reads what strangers made and writes what it makes of it, and needs nothing else of the host. Whoever breaks it
 * has nothing. A service that is not root cannot take more from it than it has itself.
 */
export function spawnConfined(program: string, args: readonly string[]): Confined {
  const isRoot = process.getuid?.() === 0
  const [command = program, ...rest] = isRoot ? [...confinement, program, ...args] : [program, ...args]
  return spawn(command, rest, { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env['PATH'] } })
}

/** As shells and setpriv tell of a program that is not there, or none. */
export function cannotRun(code: number | null): boolean {
  return code === 126 || code === 127
}
