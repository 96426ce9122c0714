import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { FrontUser } from './front-record.ts'
import type { FrontView } from './front-view.ts'

/** Where a confined process finds compiled code, if there is any. */
const compiledCodeFolder = '/run/sandglass/compiled'

/**
 * Sets up the mounts of a process in a namespace of its own, then becomes its user. The mounts of machines are left out:
 * if the process kept them, disks of destroyed machines would stay in use. What it sees is set aside first, since it may be
 * below a folder that is covered. Node looks for compiled code in a folder that is named after the user.
 */
const enterScript = `
  set -e
  uid=$1 gid=$2 capability=$3 group=$4 compiled=$5 covers=$6 seen=$7; shift 7
  [ -z "$group" ] || echo $$ > "$group"
  aside=/run/sandglass
  mkdir -p -m 0711 $aside
  sed -n 's,^\\([^ ]* \\)\\{4\\}\\(/run/sandglass/[^ ]*\\) .*,\\2,p' /proc/self/mountinfo | tac | xargs -r -n 1 umount -l -- 2>/dev/null || true
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
  umount -l $aside
  mount -t tmpfs -o mode=0755 tmpfs $aside
  if [ -n "$compiled" ]; then
    for folder in "$compiled"/*; do
      name=\${folder##*/}; own=${compiledCodeFolder}/\${name%-*}-$uid
      mkdir -p "$own"; mount --bind -- "$folder" "$own"; mount -o remount,bind,ro "$own"
    done
  fi
  mount -o remount,ro $aside
  cd -- "$1"; shift
  capabilities=-all\${capability:+,+$capability}
  exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --no-new-privs --pdeathsig KILL \\
    --inh-caps=$capabilities --ambient-caps=$capabilities --bounding-set=$capabilities -- "$@"`

export interface ConfinedLaunch {
  readonly user: FrontUser
  readonly view: FrontView
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly folder: string
  readonly stdio: StdioOptions
  /** The only capability that it has, if any. */
  readonly capability?: string | undefined
  /** The file of a cgroup that it is put into. */
  readonly group?: string | undefined
  /** A folder with compiled code. */
  readonly compiled?: string | undefined
  /** Further namespaces of its own, such as `--net`. */
  readonly namespaces?: readonly string[]
}

/**
 * Starts a program as an unprivileged user, in its own process group, so that Ctrl-C reaches only the host. The kernel ends
 * it with the host, however the host ends.
 */
export function launchConfined(launch: ConfinedLaunch): ChildProcess {
  const { user, view, command, env, folder, stdio } = launch
  const { capability = '', group = '', compiled = '', namespaces = [] } = launch
  const places = view.seen.map(({ how, path }) => `${how}:${path}`)
  const values = [user.uid, user.gid, capability, group, compiled, view.covered.length, view.seen.length].map(
    String,
  )
  const scriptArguments = ['enter', ...values, ...view.covered, ...places, folder, ...command]
  return spawn(
    'unshare',
    ['--mount', ...namespaces, '--propagation', 'private', '--', 'sh', '-c', enterScript, ...scriptArguments],
    { env: { ...env, NODE_COMPILE_CACHE: compiled && compiledCodeFolder }, detached: true, stdio },
  )
}
