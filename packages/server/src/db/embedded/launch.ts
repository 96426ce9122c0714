import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { DatabaseUser } from './unprivileged.ts'

/** Where PostgreSQL finds its programs and its data; for root, in a mount namespace that only it sees. */
export interface Places {
  readonly home: string
  readonly data: string
}

/**
 * Makes /mnt a private folder with the two places bound into it and becomes the unprivileged user. So the database
 * needs no right to any folder on the way to the data directory, and no mode of the operator's folders is touched.
 */
const enter = `
  mount -t tmpfs -o mode=0755 tmpfs /mnt && mkdir /mnt/home /mnt/data &&
  mount --bind "$1" /mnt/home && mount --bind "$2" /mnt/data && cd /mnt/data &&
  uid=$3 gid=$4 && shift 4 &&
  exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --pdeathsig INT -- "$@"`

/**
 * Starts a program of PostgreSQL, told its places, in a process group of its own (Ctrl-C is for the service alone).
 * It ends with the service: the kernel sends it SIGINT, a fast shutdown, however the service ends.
 */
export function launch(
  places: Places,
  user: DatabaseUser | undefined,
  command: (places: Places) => readonly string[],
  options: SpawnOptions = {},
): ChildProcess {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  const settled = { cwd: places.data, env, detached: true, ...options }
  if (!user) return spawn('setpriv', ['--pdeathsig', 'INT', '--', ...command(places)], settled)
  const inside = [places.home, places.data, String(user.uid), String(user.gid)]
  return spawn(
    'unshare',
    [
      ...['--mount', '--propagation', 'private', '--', 'sh', '-c', enter, 'enter', ...inside],
      ...command({ home: '/mnt/home', data: '/mnt/data' }),
    ],
    settled,
  )
}
