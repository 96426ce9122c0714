import { MachineError, type MachineErrorCode } from '../../contract/errors.ts'

/** The error codes for the messages of Linux programs and of ADB's sync service. */
const meanings: readonly (readonly [said: RegExp, code: MachineErrorCode, message: string])[] = [
  [/No such file|cannot open .*: No such|ENOENT|nonexistent/i, 'NOT_FOUND', 'there is no file'],
  [
    /Permission denied|not permitted|Read-only|EACCES|EPERM|EROFS/i,
    'DENIED',
    'the user of the machine has no permission for',
  ],
  [
    /Not a directory|Is a directory|not a regular|ENOTDIR|EISDIR/i,
    'WRONG_KIND',
    'the operation does not apply to this kind of file:',
  ],
  [/File exists|EEXIST/i, 'EXISTS', 'there is already'],
  [/No space left|ENOSPC/i, 'NO_SPACE', 'the machine has no space left for'],
  [
    /Input\/output error|I\/O error|EIO/,
    'HOST_FULL',
    'the storage of the machine, or of its host, is full or failing; nothing was stored of',
  ],
  [/name too long|ENAMETOOLONG|ELOOP/i, 'INVALID', 'this is not a valid file name:'],
]

/** Converts the message of a program into an error for this path. */
export function fileError(said: string, path: string): MachineError {
  for (const [pattern, code, message] of meanings)
    if (pattern.test(said)) return new MachineError(code, `${message} ${path}`)
  const why = said.trim().slice(0, 200) || 'no reason given'
  return new MachineError('MACHINE_FAILED', `The machine failed on ${path}: ${why}`)
}

export const wrongKind = (path: string) => fileError('Is a directory', path)
