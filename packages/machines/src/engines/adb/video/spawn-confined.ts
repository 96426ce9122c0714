import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export type Confined = ChildProcessByStdio<Writable, Readable, null>

/** Runs as an unprivileged user without capabilities or privilege escalation, in an empty network namespace. */
const confinement = [
  'unshare',
  '--net',
  '--ipc',
  '--',
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--',
]

/**
 * Runs a program that processes untrusted data and needs nothing else of the host, so that an exploit gains nothing.
 * If the service does not run as root, the program keeps the rights of the service.
 */
export function spawnConfined(program: string, args: readonly string[]): Confined {
  const isRoot = process.getuid?.() === 0
  const [command = program, ...rest] = isRoot ? [...confinement, program, ...args] : [program, ...args]
  return spawn(command, rest, { stdio: ['pipe', 'pipe', 'ignore'], env: { PATH: process.env['PATH'] } })
}

/** The exit codes by which shells and setpriv report a program that is missing or cannot be executed. */
export function cannotRun(code: number | null): boolean {
  return code === 126 || code === 127
}
