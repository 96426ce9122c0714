import { MachineError } from '../../../../contract/errors.ts'
import type { CommandLine, GuestProfile } from '../../../../contract/guest-profile.ts'
import type { ExecSpec } from '../../../../contract/process.ts'
import { posixScript } from '../../../../guests/posix.ts'
import { powershellScript, windowsCommandLine } from '../../../../guests/windows-quoting.ts'

/** How programs are started in a guest, with their working directory and environment. */
export interface StartScripts {
  /** Exits with one of {@link refusals} if the program cannot be started. Undefined where the agent itself reports it. */
  check?(spec: ExecSpec): CommandLine
  start(spec: ExecSpec): CommandLine
  /** Ends a program and what it has started. */
  kill(pid: number, signal: number): CommandLine
}

/** Why a program cannot be started, by the exit code of the check. */
export const refusals: ReadonlyMap<number, (spec: ExecSpec) => MachineError> = new Map([
  [
    3,
    spec => new MachineError('NOT_FOUND', `the working directory does not exist: ${spec.workingDirectory}`),
  ],
  [4, spec => new MachineError('WRONG_KIND', `the working directory is no folder: ${spec.workingDirectory}`)],
  [
    5,
    spec => new MachineError('DENIED', `the working directory cannot be entered: ${spec.workingDirectory}`),
  ],
  [6, spec => new MachineError('NOT_FOUND', `the program cannot be used: there is no ${spec.executable}`)],
  [
    7,
    spec => new MachineError('DENIED', `the program cannot be used: permission denied: ${spec.executable}`),
  ],
])

const checkScript = `[ -e "$1" ] || exit 3
[ -d "$1" ] || exit 4
cd "$1" || exit 5
case $2 in
*/*) [ -e "$2" ] || exit 6; [ -f "$2" ] && [ -x "$2" ] || exit 7;;
*) command -v -- "$2" >/dev/null || exit 6;;
esac`

/** A session of its own lets \`kill\` end the program together with what it started. */
const startScript = `export HOME="\${HOME:-$1}"
cd "$2" || exit 126
shift 2
command -v setsid >/dev/null && exec setsid "$@"
exec "$@"`

function posixStart({ home, paths }: GuestProfile): StartScripts {
  const folderOf = ({ workingDirectory: folder = home }: ExecSpec) =>
    paths.isAbsolute(folder) ? folder : paths.join(home, folder)
  return {
    check: spec => posixScript(checkScript, folderOf(spec), spec.executable),
    start: spec => {
      const variables = Object.entries(spec.env ?? {}).map(([name, value]) => `${name}=${value}`)
      // A program whose name contains an equals sign must not be taken for another variable.
      const before = variables.length > 0 ? ['env', ...variables, 'sh', '-c', 'exec "$@"', 'sh'] : []
      return posixScript(startScript, home, folderOf(spec), ...before, spec.executable, ...(spec.args ?? []))
    },
    kill: (pid, signal) =>
      posixScript('kill "-$1" "-$2" 2>/dev/null || kill "-$1" "$2"', `${Math.trunc(signal)}`, `${pid}`),
  }
}

/** The agent passes arguments on correctly, so a script is only needed for a folder or an environment. */
const windowsStart: StartScripts = {
  start: spec => {
    const { executable, args = [], workingDirectory, env = {} } = spec
    if (workingDirectory === undefined && Object.keys(env).length === 0) return { executable, args }
    return powershellScript(
      `$start = New-Object System.Diagnostics.ProcessStartInfo
$start.UseShellExecute = $false
$start.FileName = $args[0]
$start.Arguments = $args[1]
$start.WorkingDirectory = $args[2]
for ($i = 3; $i -lt $args.Count; $i += 2) { $start.EnvironmentVariables[$args[$i]] = $args[$i + 1] }
try { $process = [System.Diagnostics.Process]::Start($start) } catch { [Console]::Error.WriteLine($_); exit 127 }
$process.WaitForExit()
exit $process.ExitCode`,
      executable,
      windowsCommandLine(args),
      workingDirectory ?? '',
      ...Object.entries(env).flat(),
    )
  },
  kill: pid => ({ executable: 'taskkill.exe', args: ['/F', '/T', '/PID', `${pid}`] }),
}

export function startScripts(profile: GuestProfile): StartScripts {
  return profile.os === 'windows' ? windowsStart : posixStart(profile)
}
