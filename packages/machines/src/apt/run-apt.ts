import { join } from 'node:path'
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
const optionsIn = (home: string) =>
  [
    `Dir::Etc::sourcelist=${home}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
    'Dir::Etc::preferences=/dev/null',
    'Dir::Etc::preferencesparts=/dev/null',
    `Dir::Etc::trustedparts=${home}/keys`,
    `Dir::State::lists=${home}/lists`,
    'Dir::State::extended_states=/dev/null',
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    `Dir::Cache::archives=${home}/incoming`,
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    'APT::Install-Recommends=false',
    'APT::Sandbox::User=root',
    'Debug::NoLocking=true',
  ].flatMap(option => ['-o', option])

const confined = ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc']

/** Mounts the folder at /mnt, so that apt's user reaches it whatever the permissions of its parent folders. */
const script = (access: 'ro' | 'rw', user: string) =>
  `mount --bind -o ${access} "$1" /mnt && cd /mnt/incoming && shift &&` +
  ` exec setpriv ${user} --no-new-privs --inh-caps=-all --bounding-set=-all "$@"`

/** Root uses the unprivileged user that Debian provides for apt. */
const asAptUser = (isConfined: boolean) => [
  '--mount',
  ...(isConfined ? confined : []),
  'sh',
  '-c',
  script(isConfined ? 'ro' : 'rw', '--reuid=_apt --regid=nogroup --clear-groups'),
  'sh',
]

/** Another user needs a user namespace to confine apt. In it, the user looks like root, who has no rights at all. */
const confinedAsThisUser = [
  '--user',
  '--map-root-user',
  '--mount',
  ...confined,
  'sh',
  '-c',
  script('ro', ''),
  'sh',
]

/** Runs apt-get without rights, and returns its output. */
export function runApt({ folder, args, isConfined = false, signal, onLine }: AptRun): Promise<string> {
  const options = {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    ...(signal && { signal }),
    ...(onLine && { onLine }),
  }
  const isRoot = process.getuid?.() === 0
  if (!isRoot && !isConfined)
    return runCommand('apt-get', [...optionsIn(folder), ...args], {
      ...options,
      cwd: join(folder, 'incoming'),
    })
  const entry = isRoot ? asAptUser(isConfined) : confinedAsThisUser
  return runCommand('unshare', [...entry, folder, 'apt-get', ...optionsIn('/mnt'), ...args], options)
}
