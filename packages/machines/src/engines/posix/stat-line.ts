import { posix } from 'node:path'
import type { FileInfo, FileKind } from '../../contract/files.ts'
import { fileError } from './file-errors.ts'

/** The kinds of files by the upper four bits of their mode. */
export const fileKinds: Readonly<Record<number, FileKind>> = { 4: 'directory', 8: 'file', 10: 'symlink' }

/** The format for `stat -c` that `infoOfStat` parses. Two equal lines mean that the file has not changed. */
export const statFormat = '%f %s %u %g %Y %y'

export function infoOfStat(line: string, path: string): FileInfo {
  const [mode, size, user, group, seconds] = line.split(' ')
  const bits = Number.parseInt(mode ?? '', 16)
  const numbers = [bits, Number(size), Number(user), Number(group), Number(seconds)]
  if (!numbers.every(Number.isSafeInteger)) throw fileError(`unexpected output of stat: ${line}`, path)
  return {
    name: posix.basename(path),
    kind: fileKinds[bits >> 12] ?? 'other',
    size: Number(size),
    mode: bits & 0o7777,
    user: Number(user),
    group: Number(group),
    modifiedMs: Number(seconds) * 1000,
  }
}
