import type { FileInfo } from '../../../../contract/files.ts'
import type { CommandLine } from '../../../../contract/guest-profile.ts'

/**
 * What QEMU's guest agent cannot do with files itself, as programs of the guest. A program that fails prints a reason that
 * `fileError` understands.
 */
export interface FileScripts {
  /** Prints a description of the path that `infoOf` reads, and that differs when the file has changed. */
  stat(path: string, followsLinks: boolean): CommandLine
  /** Prints what `entriesOf` reads. */
  list(path: string): CommandLine
  /** Prints the targets of links in a folder, each followed by NUL. Left out where the list has them. */
  targets?(folder: string, names: readonly string[]): CommandLine
  makeDirectory(path: string): CommandLine
  remove(path: string): CommandLine
  move(from: string, to: string, overwrite: boolean): CommandLine
  /** Prints a description of the copy. */
  copy(from: string, to: string): CommandLine
  /** Prepares the folder of a file that is going to be written, and fails if the path is no place for a file. */
  beginWrite(path: string): CommandLine
  /** Gives a file that is complete its name, and prints its description. */
  finishWrite(part: string, path: string, mode: number): CommandLine
  infoOf(printed: string, path: string): FileInfo
  entriesOf(printed: string, path: string): FileInfo[]
}
