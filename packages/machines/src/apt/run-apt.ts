import { runCommand } from '../engines/local/host/run-command.ts'

export interface AptRun {
  readonly folder: string
  readonly args: readonly string[]
  /** For input that a guest wrote: apt then has no network, sees no other processes and can write nothing. */
  readonly isConfined?: boolean
  readonly signal?: AbortSignal | undefined
  readonly onLine?: (line: string) => void
}

/** Uses only the configuration in the mirror's folder, apart from how the host reaches the network. */
const options = [
  'Dir::Etc::sourcelist=/mnt/sources.list',
  'Dir::Etc::sourceparts=/dev/null',
  'Dir::Etc::preferences=/dev/null',
  'Dir::Etc::preferencesparts=/dev/null',
  'Dir::Etc::trustedparts=/mnt/keys',
  'Dir::State::lists=/mnt/lists',
  'Dir::State::extended_states=/dev/null',
  'Dir::Cache::pkgcache=',
  'Dir::Cache::srcpkgcache=',
  'Dir::Cache::archives=/mnt/incoming',
  'Acquire::Languages=none',
  'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
  'APT::Install-Recommends=false',
  'Debug::NoLocking=true',
].flatMap(option => ['-o', option])

/** The folder is mounted at /mnt, so that apt's user reaches it whatever the permissions of its parent folders. */
const script = (access: 'ro' | 'rw') =>
  `mount --bind -o ${access} "$1" /mnt && cd /mnt/incoming && shift &&` +
  ' exec setpriv --reuid=_apt --regid=nogroup --clear-groups --no-new-privs --bounding-set=-all "$@"'

/**
 * Runs apt-get in its own mount namespace, as the unprivileged user that Debian provides for it. Returns its output.
 */
export function runApt({ folder, args, isConfined = false, signal, onLine }: AptRun): Promise<string> {
  const confined = ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc']
  return runCommand(
    'unshare',
    [
      '--mount',
      ...(isConfined ? confined : []),
      'sh',
      '-c',
      script(isConfined ? 'ro' : 'rw'),
      'sh',
      folder,
      'apt-get',
      ...options,
      ...args,
    ],
    { env: { ...process.env, LC_ALL: 'C.UTF-8' }, ...(signal && { signal }), ...(onLine && { onLine }) },
  )
}
