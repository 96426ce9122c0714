import { posix } from 'node:path'
import type { FileInfo } from '../../../../contract/files.ts'
import { posixScript } from '../../../../guests/posix.ts'
import { fileError } from '../../../posix/file-errors.ts'
import { copyScript, moveScript } from '../../../posix/file-scripts.ts'
import { infoOfStat, statFormat } from '../../../posix/stat-line.ts'
import type { FileScripts } from './file-scripts.ts'

/** Folders with more entries than fit into this are not listed. */
const maxListBytes = 4 * 1024 * 1024

/** Ends an entry of a list. No name contains a slash. */
const endOfEntry = '/\n'

const script = (text: string, ...args: readonly string[]) =>
  posixScript(`export LC_ALL=C; umask 022\n${text}`, ...args)

const says = (words: string) => `{ echo '${words}' >&2; exit 1; }`

/** For every Linux with the usual small programs. */
export const posixFileScripts: FileScripts = {
  stat: (path, followsLinks) =>
    followsLinks
      ? script(`stat -L -c '${statFormat}' -- "$1"`, path)
      : script(`stat -c '${statFormat}' -- "$1" && { [ ! -L "$1" ] || readlink -- "$1"; }`, path),
  list: path =>
    script(
      `[ -e "$1" ] || ${says('No such file')}
[ -d "$1" ] || ${says('Not a directory')}
cd "$1" && ls . >/dev/null || exit 1
find . ! -name . -prune -exec stat -c '${statFormat} %n/' {} + 2>/dev/null | head -c ${maxListBytes}`,
      path,
    ),
  targets: (folder, names) =>
    script(`cd "$1" && shift && for link; do readlink -n -- "./$link"; printf '\\0'; done`, folder, ...names),
  makeDirectory: path =>
    script(`[ -e "$1" ] && [ ! -d "$1" ] && ${says('File exists')}\nmkdir -p -- "$1"`, path),
  remove: path => script('rm -rf -- "$1"', path),
  move: (from, to, overwrite) => script(moveScript(from, to, overwrite)),
  copy: (from, to) => script(copyScript(from, to)),
  beginWrite: path =>
    script(
      `[ -e "$1" ] && [ ! -f "$1" ] && ${says('not a regular file')}
mkdir -p -- "$2" && { [ -w "$2" ] || ${says('Permission denied')}; }`,
      path,
      posix.dirname(path),
    ),
  finishWrite: (part, path, mode) =>
    script(
      `chmod "$3" "$1" && sync "$1" && stat -c '${statFormat}' "$1" && mv -f "$1" "$2" && exit 0
rm -f "$1"; exit 1`,
      part,
      path,
      mode.toString(8),
    ),
  infoOf(printed, path) {
    const end = printed.indexOf('\n')
    const target = printed.slice(end + 1).replace(/\n$/, '')
    const info = infoOfStat(printed.slice(0, end), path)
    return info.kind === 'symlink' ? { ...info, target } : info
  },
  entriesOf(printed, path) {
    if (printed.length >= maxListBytes)
      throw fileError(`the folder has too many entries to be listed by QEMU's guest agent`, path)
    return printed.split(endOfEntry).slice(0, -1).map(entryOf)
  },
}

/** The format has a date with spaces in it, so the name begins at the first dot and slash. */
function entryOf(entry: string): FileInfo {
  const at = entry.indexOf(' ./')
  return infoOfStat(entry.slice(0, at), entry.slice(at + 1))
}
