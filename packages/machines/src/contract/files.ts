import type { Readable } from 'node:stream'

export type FileKind = 'file' | 'directory' | 'symlink' | 'other'

export interface FileInfo {
  readonly name: string
  readonly kind: FileKind
  readonly size: number
  /** Permission bits, such as 0o644. */
  readonly mode: number
  readonly user: number
  readonly group: number
  readonly modifiedMs: number
  /** Where a symlink points, as written in it. */
  readonly target?: string
}

export interface FileOptions {
  /** Acts as this user of the machine; the desktop's user unless said otherwise. */
  readonly user?: string
  readonly signal?: AbortSignal
}

export interface ReadOptions extends FileOptions {
  readonly offset?: number
  readonly length?: number
}

export interface WriteOptions extends FileOptions {
  readonly mode?: number
}

/** Paths are absolute, or relative to the user's home, and are walked inside the machine by a process there. */
export interface Files {
  read(path: string, options?: ReadOptions): Promise<Readable>
  /** Makes parent folders. The file appears under its name only when it is whole. */
  write(path: string, content: Readable | Uint8Array, options?: WriteOptions): Promise<void>
  /** Of the path itself: a symlink is not followed. */
  stat(path: string, options?: FileOptions): Promise<FileInfo>
  list(path: string, options?: FileOptions): Promise<FileInfo[]>
  makeDirectory(path: string, options?: FileOptions): Promise<void>
  move(from: string, to: string, options?: FileOptions): Promise<void>
  /** Removes a file, or a folder with all that is in it. A path that is not there is no error. */
  remove(path: string, options?: FileOptions): Promise<void>
}
