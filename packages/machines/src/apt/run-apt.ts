import { runCommand } from '../engines/local/host/run-command.ts'

export interface AptRun {
  readonly folder: string
  readonly args: readonly string[]
  /** Reads what a guest wrote: no network, nothing to write, no other process in sight. */
  readonly isConfined?: boolean
  readonly signal?: AbortSignal | undefined
  readonly onLine?: (line: string) => void
}

/** Only what the mirror's own folder says, besides how the host reaches the network. */
const options = [
  ...['Dir::Etc::sourcelist=/mnt/sources.list', 'Dir::Etc::sourceparts=/dev/null'],
  ...['Dir::Etc::preferences=/dev/null', 'Dir::Etc::preferencesparts=/dev/null'],
  ...[
    'Dir::Etc::trustedparts=/mnt/keys',
    'Dir::State::lists=/mnt/lists',
    'Dir::State::extended_states=/dev/null',
  ],
  ...['Dir::Cache::pkgcache=', 'Dir::Cache::srcpkgcache=', 'Dir::Cache::archives=/mnt/incoming'],
  ...['Acquire::Languages=none', 'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false'],
  ...['APT::Install-Recommends=false', 'Debug::NoLocking=true'],
].flatMap(option => ['-o', option])

/** The folder is seen at /mnt, whoever may walk the folders that lead to it on the host. */
const script = (access: 'ro' | 'rw') =>
  `mount --bind -o ${access} "$1" /mnt && cd /mnt/incoming && shift &&` +
  ' exec setpriv --reuid=_apt --regid=nogroup --clear-groups --no-new-privs --bounding-set=-all "$@"'

/** Runs apt-get in a mount namespace of its own, as the user that Debian has for it; gives what it printed. */
export function runApt({ folder, args, isConfined = false, signal, onLine }: AptRun): Promise<string> {
  const confined = ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc']
  return runCommand(
    'unshare',
    [
      ...['--mount', ...(isConfined ? confined : [])],
      ...['sh', '-c', script(isConfined ? 'ro' : 'rw'), 'sh', folder],
      ...['apt-get', ...options, ...args],
    ],
    { env: { ...process.env, LC_ALL: 'C.UTF-8' }, ...(signal && { signal }), ...(onLine && { onLine }) },
  )
}
