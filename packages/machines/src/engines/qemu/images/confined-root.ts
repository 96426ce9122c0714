/** A file or folder of the host that a confined program sees, and where. */
export interface Place {
  readonly path: string
  readonly at: string
  readonly writable?: boolean
}

export interface Confinement {
  readonly places: readonly Place[]
  /** Lets it read and write the places whatever their owners and modes are. */
  readonly readsAnyOwner?: boolean
  /** Gives it /dev/kvm. */
  readonly kvm?: boolean
}

/** The unprivileged user that confined programs run as. */
export const confinedUser = 65534

/**
 * Builds a file system with the programs of the host, a few devices and the given places, makes it the root, and runs the
 * command there. It is built over /sys, because nobody keeps files there that could be one of the places. /proc is there
 * only for umount. The shell stays as the
 * first process of the namespace, since a process that changes its user is no longer ended with its parent.
 */
const enterScript = `
  set -e
  kvm=$1 capabilities=$2 count=$3; shift 3
  mount -t tmpfs -o mode=0755,size=16m tmpfs /sys
  root=/sys
  mkdir $root/usr $root/dev $root/etc $root/host $root/proc
  mount --bind -o ro /usr $root/usr
  for name in bin sbin lib lib32 lib64 libx32; do
    if [ -L /$name ]; then cp -P /$name $root/$name
    elif [ -d /$name ]; then mkdir $root/$name; mount --bind -o ro /$name $root/$name
    fi
  done
  [ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache $root/etc/
  mknod -m 666 $root/dev/null c 1 3
  mknod -m 666 $root/dev/zero c 1 5
  mknod -m 666 $root/dev/random c 1 8
  mknod -m 666 $root/dev/urandom c 1 9
  [ -z "$kvm" ] || mknod -m 666 $root/dev/kvm c 10 232
  while [ $count -gt 0 ]; do
    count=$((count - 1))
    how=$1 path=$2 at=$3; shift 3
    if [ -d "$path" ]; then mkdir -p "$root$at"; else : > "$root$at"; fi
    mount --bind -o "$how" -- "$path" "$root$at"
  done
  mount -t proc proc $root/proc
  cd $root
  pivot_root . host
  umount -l /host
  mount -o remount,ro /
  umount -l /proc
  set +e
  setpriv --reuid ${confinedUser} --regid ${confinedUser} --clear-groups --no-new-privs \\
    --inh-caps=$capabilities --ambient-caps=$capabilities --bounding-set=$capabilities -- "$@"
  exit $?`

const namespaces = ['--mount', '--net', '--ipc', '--uts', '--pid', '--fork', '--kill-child']

/**
 * The command line that runs a program without rights, without network, and with nothing of the host but the given places, so
 * that one which reads untrusted data has nothing to read or to send it to. The kernel ends it, and all that it started, when
 * this process ends.
 */
export function confinedCommand(
  { places, readsAnyOwner = false, kvm = false }: Confinement,
  command: readonly string[],
): [string, ...string[]] {
  const capabilities = readsAnyOwner ? '-all,+dac_override' : '-all'
  return [
    'setpriv',
    '--pdeathsig=KILL',
    '--',
    'unshare',
    ...namespaces,
    '--',
    'sh',
    '-c',
    enterScript,
    'enter',
    kvm ? 'kvm' : '',
    capabilities,
    String(places.length),
    ...places.flatMap(({ path, at, writable }) => [writable ? 'rw' : 'ro', path, at]),
    ...command,
  ]
}
