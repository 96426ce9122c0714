import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { chown } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIPv6 } from 'node:net'
import { dirname, join } from 'node:path'
import { socketName } from './relay/relay-config.ts'

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
  /** The UDP address that it may use. */
  readonly host: string
  readonly port: number
  /** Where it runs: it may use the socket in it, and Deno keeps there what it would keep at home. */
  readonly folder: string
}

/** Whom Deno runs as where the service is root: a user that owns nothing else, with no name. */
const user = process.getuid?.() === 0 ? 61_780 : undefined

/** Hands a folder, or the socket in it, to Deno's user. */
export async function handToDeno(path: string): Promise<void> {
  if (user !== undefined) await chown(path, user, user)
}

const programs = join(import.meta.dirname, 'relay')
/** A relay holds a few buffers and no more; QUIC's memory is not V8's. */
const heap = '--v8-flags=--max-old-space-size=64,--max-semi-space-size=2'
/** Nothing is fetched, asked or remembered. */
const isolation = '--quiet --no-prompt --no-config --no-lock --no-npm --no-remote --cached-only'.split(' ')

/**
 * Makes /mnt a private folder with the three places bound into it and becomes Deno's user, who needs no right to any
 * folder on the way to them. Of the capabilities of root it keeps the one to have a port below 1024.
 */
const enter = `
  mount -t tmpfs -o mode=0755 tmpfs /mnt && mkdir /mnt/deno /mnt/programs /mnt/folder &&
  mount --bind "$1" /mnt/deno && mount --bind "$2" /mnt/programs && mount --bind "$3" /mnt/folder && cd /mnt/folder &&
  user=$4 && shift 4 && exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs \\
    --bounding-set=-all,+net_bind_service --inh-caps=-all,+net_bind_service --ambient-caps=+net_bind_service -- "$@"`

/**
 * Starts a program with Deno, in a process group of its own (Ctrl-C is for the service alone). It may use its address and
 * its socket, and nothing else: no file, no process, no variable. Its standard input ends with this process, however
 * that ends.
 */
export function runDeno(run: DenoRun): ChildProcess {
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    DENO_DIR: 'deno',
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
  }
  const options = { env, cwd: run.folder, detached: true }
  if (user === undefined) return spawn(run.binary, denoArgs(run, programs, run.folder), options)
  const inside = ['enter', dirname(run.binary), programs, run.folder, String(user)]
  return spawn(
    'unshare',
    [
      ...['--mount', '--propagation', 'private', '--', 'sh', '-c', enter, ...inside],
      ...['/mnt/deno/deno', ...denoArgs(run, '/mnt/programs', '/mnt/folder')],
    ],
    options,
  )
}

function denoArgs({ program, args = [], host, port }: DenoRun, home: string, folder: string): string[] {
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  const socket = join(folder, socketName)
  const rights = [
    `--allow-net=${address},unix:${socket}`,
    `--allow-read=${socket}`,
    `--allow-write=${socket}`,
  ]
  return ['run', '--unstable-net', ...isolation, heap, ...rights, join(home, program), ...args]
}
