import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { ExecSpec } from '../../contract/process.ts'

/** Every process that a program starts inherits this variable, even in a new session. */
export const ownerVariable = 'SANDGLASS_MACHINE'
export const tokenVariable = 'SANDGLASS_EXEC'

export interface Run {
  readonly spec: ExecSpec
  readonly machine: string
  readonly token: string
  /**
   * Printed before the program starts and after it has ended: the byte 0x1e, which terminals pass on unchanged, and
   * hexadecimal digits.
   */
  readonly mark: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * The script of a shell on the device that supervises one program. It prints the ids of its process group and of the
 * program, or why the program cannot start, and at the end the exit code on both outputs, because ADB itself waits
 * until every process has closed them. Signals to the group reach the program; the shell survives them.
 */
export function execScript({ spec, machine, token, mark, home, env }: Run): string {
  const words = [spec.executable, ...(spec.args ?? [])]
  if (words.some(word => word.includes('\0')) || spec.executable === '')
    throw new MachineError(
      'INVALID',
      'the program must have a name, and neither it nor its arguments may contain NUL',
    )
  const folder = spec.workingDirectory ?? home
  const { terminal } = spec
  return [
    `trap : INT QUIT TERM USR1 USR2 ALRM; trap ${spec.detached ? "''" : ':'} HUP`,
    // The mark is assembled from two parts, so that it does not appear in the process list of the device.
    `m=$(printf '\\036%s%s' ${mark.slice(1, 9)} ${mark.slice(9)})`,
    // Errors are reported before the program starts, because its output must not be mixed with reports.
    `no() { printf '%s%s %s\\n' "$m" "$1" "$2"; exit 0; }`,
    ...(terminal ? [`stty rows ${terminal.rows} columns ${terminal.columns} 2>/dev/null`] : []),
    ...Object.entries({ ...env, ...spec.env, [ownerVariable]: machine, [tokenVariable]: token }).map(
      exportLine,
    ),
    `cd ${quote(home)} 2>/dev/null; d=${quote(folder)}`,
    `[ -e "$d" ] || no folder missing; [ -d "$d" ] || no folder kind; cd "$d" 2>/dev/null || no folder denied`,
    `p=${quote(spec.executable)}`,
    'case $p in */*) ;; *) n=$p; p=; IFS=:; for d in $PATH; do [ -f "$d/$n" ] && [ -x "$d/$n" ] && p=$d/$n && break; done; unset IFS ;; esac',
    `[ -n "$p" ] && [ -e "$p" ] || no program missing; [ -d "$p" ] && no program kind; [ -x "$p" ] || no program denied`,
    `sh -c 'printf "%s%s %s %s\\n" "$0" up "$1" $$; shift; exec "$@"' "$m" $$ "$p" ${words.slice(1).map(quote).join(' ')}`,
    `c=$?; printf '%s%d\\n' "$m" $c; ${terminal ? '' : `printf '%s%d\\n' "$m" $c >&2; `}exit $c`,
  ].join('\n')
}

function exportLine([name, value]: [string, string]): string {
  if (!/^[A-Za-z_]\w*$/.test(name) || value.includes('\0'))
    throw new MachineError('INVALID', `env.${name} is not a valid environment variable`)
  return `export ${name}=${quote(value)}`
}
