import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
import type { ExecSpec } from '../../contract/process.ts'

/** Every process that a program of ours starts has this in its environment, whatever session it makes for itself. */
export const ownerVariable = 'SANDGLASS_MACHINE'
export const tokenVariable = 'SANDGLASS_EXEC'

export interface Run {
  readonly spec: ExecSpec
  readonly machine: string
  readonly token: string
  /** Said before the program begins and after it has ended: the byte 0x1e, which a terminal passes on as it is, and digits. */
  readonly mark: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * A shell of the device that sees to one program: it tells the ids of its process group and of the program, or why there is
 * none, and at the end the exit code on both outputs, since ADB itself waits until nobody has them open any more. Signals to
 * the group are the program's; the shell stays.
 */
export function execScript({ spec, machine, token, mark, home, env }: Run): string {
  const words = [spec.executable, ...(spec.args ?? [])]
  if (words.some(word => word.includes('\0')) || spec.executable === '')
    throw new MachineError('INVALID', 'a program and its arguments hold no NUL, and the program has a name')
  const folder = spec.workingDirectory ?? home
  const { terminal } = spec
  return [
    `trap : INT QUIT TERM USR1 USR2 ALRM; trap ${spec.detached ? "''" : ':'} HUP`,
    // In parts, so that a list of the device's processes does not hold it.
    `m=$(printf '\\036%s%s' ${mark.slice(1, 9)} ${mark.slice(9)})`,
    // Outputs are no place for a report while the program may print: only before it begins.
    `no() { printf '%s%s %s\\n' "$m" "$1" "$2"; exit 0; }`,
    ...(terminal ? [`stty rows ${terminal.rows} columns ${terminal.columns} 2>/dev/null`] : []),
    ...Object.entries({ ...env, ...spec.env, [ownerVariable]: machine, [tokenVariable]: token }).map(
      exported,
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

function exported([name, value]: [string, string]): string {
  if (!/^[A-Za-z_]\w*$/.test(name) || value.includes('\0'))
    throw new MachineError('INVALID', `env.${name} is no environment variable of a phone`)
  return `export ${name}=${quote(value)}`
}
