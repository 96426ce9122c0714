import { MachineError, type MachineErrorCode } from '../../contract/errors.ts'

/** What Linux says, in the words of its programs and of ADB's sync. */
const meanings: readonly (readonly [said: RegExp, code: MachineErrorCode, message: string])[] = [
  [/No such file|cannot open .*: No such|ENOENT|nonexistent/i, 'NOT_FOUND', 'there is no file'],
  [/Permission denied|not permitted|Read-only|EACCES|EPERM|EROFS/i, 'DENIED', 'ADB may not do that with'],
  [
    /Not a directory|Is a directory|not a regular|ENOTDIR|EISDIR/i,
    'WRONG_KIND',
    'it takes another kind of file than',
  ],
  [/File exists|EEXIST/i, 'EXISTS', 'there is already'],
  [/No space left|ENOSPC/i, 'NO_SPACE', 'the phone has no space left for'],
  [
    /Input\/output error|I\/O error|EIO/,
    'HOST_FULL',
    'the storage of the phone, or of its host, is full or failing, and nothing was kept of',
  ],
  [/name too long|ENAMETOOLONG|ELOOP/i, 'INVALID', 'that is no name of a file:'],
]

/** The failure of a file operation by what the device said of it. */
export function fileError(said: string, path: string): MachineError {
  for (const [pattern, code, message] of meanings)
    if (pattern.test(said)) return new MachineError(code, `${message} ${path}`)
  const why = said.trim().slice(0, 200) || 'it does not say why'
  return new MachineError('MACHINE_FAILED', `The device failed with ${path}: ${why}`)
}

export const wrongKind = (path: string) => fileError('Is a directory', path)
