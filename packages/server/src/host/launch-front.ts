import { type ChildProcess, spawn } from 'node:child_process'
import type { FrontUser } from './front-record.ts'
import type { FrontView } from './front-view.ts'

/** The descriptors of the front besides the standard ones. The channel of Node's own messages is between them. */
export const frontDescriptors = { link: 3, lock: 5 } as const

/**
 * Sets up the mounts of the front in a namespace of its own, then becomes its user. The mounts of machines are left out:
 * if the front kept them, disks of destroyed machines would stay in use. What the front sees is set aside first, since it
 * may be below a folder that is covered.
 */
const enterScript = `
  set -e
  uid=$1 gid=$2 capability=$3 covers=$4 seen=$5; shift 5
  aside=/run/sandglass
  mkdir -p -m 0711 $aside
  sed -n 's,^\\([^ ]* \\)\\{4\\}\\(/run/sandglass/[^ ]*\\) .*,\\2,p' /proc/self/mountinfo | tac | xargs -r umount -l --
  mount -t tmpfs -o mode=0700 tmpfs $aside
  number=0
  for place in "$@"; do
    number=$((number + 1))
    [ $number -gt $covers ] || continue
    [ $number -le $((covers + seen)) ] || break
    how=\${place%%:*} path=\${place#*:}
    if [ "$how" = copy ]; then
      cp -- "$path" $aside/$number; chown "$uid:$gid" $aside/$number; chmod 0400 $aside/$number
    elif [ -d "$path" ]; then mkdir $aside/$number; mount --rbind -- "$path" $aside/$number
    else : > $aside/$number; mount --bind -- "$path" $aside/$number
    fi
  done
  number=0
  while [ $number -lt $covers ]; do
    number=$((number + 1))
    mount -t tmpfs -o mode=0755 tmpfs "$1"; shift
  done
  while [ $number -lt $((covers + seen)) ]; do
    number=$((number + 1))
    how=\${1%%:*} path=\${1#*:}; shift
    if [ -d $aside/$number ]; then mkdir -p -- "$path"; mount --rbind $aside/$number "$path"
    else
      mkdir -p -- "$(dirname -- "$path")"; [ -e "$path" ] || : > "$path"; mount --bind $aside/$number "$path"
    fi
    [ "$how" = writable ] || mount -o remount,bind,ro "$path"
  done
  cd -- "$1"; shift
  capabilities=-all\${capability:+,+$capability}
  exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --no-new-privs --pdeathsig KILL \\
    --inh-caps=$capabilities --ambient-caps=$capabilities --bounding-set=$capabilities -- "$@"`

export interface FrontLaunch {
  readonly user: FrontUser
  readonly view: FrontView
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly folder: string
  /** Whether it may listen on ports below 1024. It has no other capability. */
  readonly hasLowPorts: boolean
  /** The descriptor that holds the lock of the data directory, if it goes on with it. */
  readonly lock?: number
}

/**
 * Starts a program as the user of the front, in its own process group, so that Ctrl-C reaches only the host. The kernel
 * ends it with the host, however the host ends.
 */
export function launchFront(launch: FrontLaunch): ChildProcess {
  const { user, view, command, env, folder, hasLowPorts, lock } = launch
  const places = view.seen.map(({ how, path }) => `${how}:${path}`)
  const ids = [String(user.uid), String(user.gid), hasLowPorts ? 'net_bind_service' : '']
  const counts = [String(view.covered.length), String(view.seen.length)]
  const scriptArguments = ['enter', ...ids, ...counts, ...view.covered, ...places, folder, ...command]
  return spawn(
    'unshare',
    ['--mount', '--propagation', 'private', '--', 'sh', '-c', enterScript, ...scriptArguments],
    {
      env,
      detached: true,
      stdio: lock === undefined ? 'inherit' : ['ignore', 'inherit', 'inherit', 'pipe', 'ipc', lock],
    },
  )
}
