import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { DatabaseUser } from './unprivileged.ts'

/**
 * The folders of PostgreSQL's programs and of its data. If the service runs as root, they are inside a private mount
 * namespace.
 */
export interface Places {
  readonly home: string
  readonly data: string
}

/**
 * Mounts a private /mnt with the two folders bound into it, and switches to the unprivileged user. The database
 * therefore needs no access to the parents of the data directory, and the modes of the operator's folders stay
 * unchanged. It leaves the mounts of machines, whose disks would otherwise stay in use after they are destroyed.
 */
const enterScript = `
  sed -n 's,^\\([^ ]* \\)\\{4\\}\\(/run/sandglass/[^ ]*\\) .*,\\2,p' /proc/self/mountinfo | tac |
    xargs -r -n 1 umount -l -- 2>/dev/null
  mount -t tmpfs -o mode=0755 tmpfs /mnt && mkdir /mnt/home /mnt/data &&
  mount --bind "$1" /mnt/home && mount --bind "$2" /mnt/data && cd /mnt/data &&
  uid=$3 gid=$4 && shift 4 &&
  exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --pdeathsig INT -- "$@"`

/**
 * Starts a PostgreSQL program in its own process group, so that Ctrl-C reaches only the service. The program ends
 * with the service: the kernel sends it SIGINT, which is a fast shutdown, however the service ends.
 */
export function launch(
  places: Places,
  user: DatabaseUser | undefined,
  command: (places: Places) => readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  const spawnOptions = { cwd: places.data, env, detached: true, ...options }
  if (!user) return spawn('setpriv', ['--pdeathsig', 'INT', '--', ...command(places)], spawnOptions)
  const scriptArguments = [places.home, places.data, String(user.uid), String(user.gid)]
  return spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      '--',
      'sh',
      '-c',
      enterScript,
      'enter',
      ...scriptArguments,
      ...command({ home: '/mnt/home', data: '/mnt/data' }),
    ],
    spawnOptions,
  )
}
