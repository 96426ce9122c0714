import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { chown } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIPv6 } from 'node:net'
import { dirname, join } from 'node:path'
import { socketName } from './relay/relay-config.ts'

/** The Deno binary from the npm package for this architecture; undefined if there is none. */
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
  /** The name of a file in `relay/`. */
  readonly program: string
  readonly args?: readonly string[]
  /** The UDP address that the program may use. */
  readonly host: string
  readonly port: number
  /** Its working directory: the program may use the socket in it, and Deno stores its cache there. */
  readonly folder: string
}

/** The user that Deno runs as if the service is root: one without a name that owns nothing else. */
const user = process.getuid?.() === 0 ? 61_780 : undefined

/** Gives a folder, or the socket in it, to Deno's user. */
export async function handToDeno(path: string): Promise<void> {
  if (user !== undefined) await chown(path, user, user)
}

const programs = join(import.meta.dirname, 'relay')
/** A relay needs only a few buffers on the heap; the memory of QUIC is outside of V8. */
const heap = '--v8-flags=--max-old-space-size=64,--max-semi-space-size=2'
/** Deno downloads nothing, prompts for nothing and stores no configuration. */
const isolation = '--quiet --no-prompt --no-config --no-lock --no-npm --no-remote --cached-only'.split(' ')

/**
 * Mounts the three folders into a private /mnt and switches to Deno's user, which then needs no access to the folders
 * above them. The only capability it keeps is to bind ports below 1024. It leaves the mounts of machines, whose disks
 * would otherwise stay in use after they are destroyed.
 */
const enter = `
  sed -n 's,^\\([^ ]* \\)\\{4\\}\\(/run/sandglass/[^ ]*\\) .*,\\2,p' /proc/self/mountinfo | tac |
    xargs -r -n 1 umount -l -- 2>/dev/null
  mount -t tmpfs -o mode=0755 tmpfs /mnt && mkdir /mnt/deno /mnt/programs /mnt/folder &&
  mount --bind "$1" /mnt/deno && mount --bind "$2" /mnt/programs && mount --bind "$3" /mnt/folder && cd /mnt/folder &&
  user=$4 && shift 4 && exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs \\
    --bounding-set=-all,+net_bind_service --inh-caps=-all,+net_bind_service --ambient-caps=+net_bind_service -- "$@"`

/**
 * Starts a Deno program in its own process group, so that Ctrl-C reaches only the service. It may use its address and
 * its socket, but no files, processes or environment variables. Its standard input closes when this process exits for
 * any reason, and the program exits with it.
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
      '--mount',
      '--propagation',
      'private',
      '--',
      'sh',
      '-c',
      enter,
      ...inside,
      '/mnt/deno/deno',
      ...denoArgs(run, '/mnt/programs', '/mnt/folder'),
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
