import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { quote } from '../../adb/device-shell.ts'
import { statFormat } from './stat-line.ts'

const says = (words: string) => `{ echo ${quote(words)} >&2; exit 1; }`

/**
 * Waits until a file is on disk, so that a full device reports the error before the file gets its final name. Android
 * has `fsync`; elsewhere `sync` accepts a file name.
 */
export const stored = (file: string) =>
  `if command -v fsync >/dev/null; then fsync ${file}; else sync ${file}; fi`

/** Refuses an existing folder as the target, because `mv` would move the file into it. */
export function moveScript(from: string, to: string, overwrite: boolean): string {
  return `f=${quote(from)} t=${quote(to)}
[ -e "$f" ] || [ -L "$f" ] || ${says('No such file')}
[ -e "$t" ] || [ -L "$t" ] && { ${overwrite ? ':' : says('File exists')}; [ -d "$t" ] && [ ! -L "$t" ] && ${says('Is a directory')}; }
mkdir -p ${quote(posix.dirname(to))} && mv -f "$f" "$t"`
}

/** Prints the `stat` line of the copy. */
export function copyScript(from: string, to: string): string {
  const part = `.${randomBytes(9).toString('hex')}.part`
  return `f=${quote(from)} n=${quote(posix.basename(to))} d=${quote(posix.dirname(to))}
[ -e "$f" ] || ${says('No such file')}
[ -f "$f" ] || ${says('not a regular file')}
mkdir -p "$d" && cd "$d" || exit 1
[ -e "$n" ] && [ ! -f "$n" ] && ${says('not a regular file')}
cp "$f" ${part} && chmod "$(stat -L -c %a "$f")" ${part} && ${stored(part)} && stat -c '${statFormat}' ${part} && mv -f ${part} "$n" && exit 0
rm -f ${part}; exit 1`
}
