import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { isIPv6 } from 'node:net'
import { dirname, join } from 'node:path'

/** The program from the npm package for this kind of machine; undefined where there is none. */
export function denoBinary(arch: string = process.arch): string | undefined {
  const name = `@deno/linux-${arch}-glibc`
  try {
    const path = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'deno')
    accessSync(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}

export interface DenoRun {
  readonly binary: string
  /** A file in `relay/`. */
  readonly program: string
  readonly args?: readonly string[]
  /** The UDP address and the unix socket that it may use. It may do nothing else: no file, no process, no variable. */
  readonly host: string
  readonly port: number
  readonly socket: string
  /** Where it keeps what it would keep at home. */
  readonly folder: string
}

/** A relay holds a few buffers and no more: quinn's memory is not V8's. */
const heap = '--v8-flags=--max-old-space-size=64,--max-semi-space-size=2'
/** Nothing is fetched, asked or remembered. */
const aloof = [
  '--quiet',
  '--no-prompt',
  '--no-config',
  '--no-lock',
  '--no-npm',
  '--no-remote',
  '--cached-only',
]

/**
 * Starts a program with Deno, in a process group of its own (Ctrl-C is for the service alone) and without capabilities.
 * Its standard input ends with this process, however that ends.
 */
export function runDeno({ binary, program, args = [], host, port, socket, folder }: DenoRun): ChildProcess {
  const bare = process.getuid?.() === 0 ? ['--bounding-set=-all,+net_bind_service'] : []
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  const rights = [
    `--allow-net=${address},unix:${socket}`,
    ...[`--allow-read=${socket}`, `--allow-write=${socket}`],
  ]
  return spawn(
    'setpriv',
    [
      ...['--no-new-privs', ...bare, '--', binary, 'run', '--unstable-net'],
      ...[...aloof, heap, ...rights, join(import.meta.dirname, 'relay', program), ...args],
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      cwd: folder,
      env: {
        PATH: '/usr/bin:/bin',
        DENO_DIR: join(folder, 'deno'),
        DENO_NO_UPDATE_CHECK: '1',
        NO_COLOR: '1',
      },
    },
  )
}
