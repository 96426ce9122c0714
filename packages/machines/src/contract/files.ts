import type { Readable, Writable } from 'node:stream'

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

/** A part of a file; to its end unless said otherwise. */
export interface FileRange {
  readonly offset?: number
  readonly length?: number
}

export interface WriteOptions extends FileOptions {
  readonly mode?: number
  /** How many bytes will come, where that is known; a hint, and no promise. */
  readonly size?: number
  /** The buffers of the content are nobody else's: they are freed as they are written, and not left to the collector. */
  readonly consume?: boolean
}

export interface ListOptions extends FileOptions {
  /** The most entries of a page. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

export interface MoveOptions extends FileOptions {
  /** Takes the place of a file that has the name; true unless said otherwise. */
  readonly overwrite?: boolean
}

export interface WatchOptions extends FileOptions {
  /** Also in the folders below. */
  readonly recursive?: boolean
}

/** Some entries of a folder, in the order of their names. */
export interface FolderPage {
  readonly entries: readonly FileInfo[]
  /** Where there are more. */
  readonly next?: string
}

/** A file that was opened: what is told and read is of this very file, whatever happens to its name. */
export interface OpenFile {
  readonly info: FileInfo
  /** Once. The stream fails where fewer bytes come than there were; with `steady` also where the file changed meanwhile. */
  read(range?: FileRange & { readonly steady?: boolean }): Readable
  /**
   * Once, in place of `read`: writes the content to a sink and does not end it. Buffers are used again, so the sink must
   * be one that has done with a buffer when it calls back, as a socket has. With `steady` its last piece is written only
   * where the file did not change meanwhile.
   */
  sendTo(sink: Writable, range?: FileRange & { readonly steady?: boolean }): Promise<void>
  /** Lets go of a file that is not read. */
  close(): void
}

export type FileChange =
  /** The path is relative to the folder that is watched. A rename is a removal and a creation. */
  | {
      readonly change: 'created' | 'modified' | 'removed'
      readonly path: string
      readonly kind: 'directory' | 'file'
    }
  /** Changes were lost, because too many came: look at the folder itself. */
  | { readonly change: 'overflow' }

/** Paths are absolute, or relative to the user's home, and are walked inside the machine by a process there. */
export interface Files {
  /** A regular file, and nothing else: what would wait, such as a FIFO, is refused. */
  open(path: string, options?: FileOptions): Promise<OpenFile>
  read(path: string, options?: FileOptions & FileRange): Promise<Readable>
  /** Makes parent folders. The file appears under its name only when it is whole. */
  write(path: string, content: Readable | Uint8Array, options?: WriteOptions): Promise<FileInfo>
  /** Within the machine, under the same promises as `write`. */
  copy(from: string, to: string, options?: FileOptions): Promise<FileInfo>
  /** Of the path itself: a symlink is not followed. */
  stat(path: string, options?: FileOptions): Promise<FileInfo>
  list(path: string, options?: ListOptions): Promise<FolderPage>
  /** With its parents. A folder that is there already is no error. */
  makeDirectory(path: string, options?: FileOptions): Promise<void>
  /** Makes parent folders. */
  move(from: string, to: string, options?: MoveOptions): Promise<void>
  /** Removes a file, or a folder with all that is in it. A path that is not there is no error. */
  remove(path: string, options?: FileOptions): Promise<void>
  /** Settles when the watch stands. The changes end with the folder, the machine or the signal. */
  watch(path: string, options?: WatchOptions): Promise<AsyncIterable<FileChange>>
}
