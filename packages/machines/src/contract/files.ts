import type { Readable, Writable } from 'node:stream'

/** What `readSmall` reads, in bytes. */
export const maxSmallFile = 16 * 1024 * 1024

/** What a path leads to. `other` is a device, a socket or a named pipe, which cannot be read or written here. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other'

/** What is known about a file without reading it. */
export interface FileInfo {
  readonly name: string
  readonly kind: FileKind
  readonly size: number
  /** Permission bits, such as 0o644; meaningless on Windows. */
  readonly mode: number
  readonly user: number
  readonly group: number
  readonly modifiedMs: number
  /** The target of a symlink, exactly as it is stored; it may not exist. */
  readonly target?: string
}

/** Options of every call. */
export interface FileOptions {
  /** The user of the machine whose permissions apply, and who owns what is created; the guest's `user` by default. */
  readonly user?: string
  readonly signal?: AbortSignal
}

/** A part of a file. Without `length` it reaches to the end. */
export interface FileRange {
  readonly offset?: number
  readonly length?: number
}

/** How a file is written. */
export interface WriteOptions extends FileOptions {
  readonly mode?: number
  /** The expected number of bytes. It is a hint that lets large files be written faster; a wrong one does no harm. */
  readonly size?: number
  /** Frees each buffer as soon as it is written. Set it only if nobody else uses the buffers: they become empty. */
  readonly consume?: boolean
}

/** Which page of a folder is listed. */
export interface ListOptions extends FileOptions {
  /** The max number of entries per page. */
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string
}

/** How a file is moved. */
export interface MoveOptions extends FileOptions {
  /** Whether an existing file is replaced; true by default. If false, the move fails with EXISTS. */
  readonly overwrite?: boolean
}

/** How something is removed. */
export interface RemoveOptions extends FileOptions {
  /** Whether the removal is on the disk of the host when the call resolves; true by default. Some machines always do that. */
  readonly durable?: boolean
}

/** What is watched. */
export interface WatchOptions extends FileOptions {
  /** Also watches the folders below. INVALID where the machine cannot do that. */
  readonly recursive?: boolean
}

/** A page of a folder's entries, sorted by name. */
export interface FolderPage {
  readonly entries: readonly FileInfo[]
  /** Set if there are more entries: pass it as `after`. */
  readonly next?: string
}

/** An open file. It stays the same file even if its name is moved, removed or replaced meanwhile. */
export interface OpenFile {
  readonly info: FileInfo
  /**
   * Reads the content; can be called once. The stream fails with STATE if the file became shorter, and with `steady` if it
   * changed at all, so that a content length that was announced is never wrong.
   */
  read(range?: FileRange & { readonly steady?: boolean }): Readable
  /**
   * Writes the content to a sink without ending it; can be called once, instead of `read`. Buffers are reused, so the sink
   * must be done with a buffer when it calls back, as a socket is. With `steady` the last chunk is written only if the
   * file did not change meanwhile.
   */
  sendTo(sink: Writable, range?: FileRange & { readonly steady?: boolean }): Promise<void>
  /** Closes a file that is not read. Reading or sending it closes it too. */
  close(): void
}

/** A file that was read at once. */
export interface SmallFile {
  readonly info: FileInfo
  /** Undefined if the file is larger than {@link maxSmallFile}. */
  readonly content: Buffer | undefined
}

/** A change that a watch reports. */
export type FileChange =
  /** The path is relative to the watched folder. A rename is reported as a removal and a creation. */
  | {
      readonly change: 'created' | 'modified' | 'removed'
      readonly path: string
      readonly kind: 'directory' | 'file'
    }
  /** Too many changes came at once and some were lost: list the folder again. */
  | { readonly change: 'overflow' }

/**
 * The files of a machine. Paths are absolute, or relative to the user's home, in the style of the guest. They are resolved
 * inside the machine by a process there and never on the host, so a symlink cannot lead out of the machine.
 *
 * @example
 * ```ts
 * await machine.files.write('notes/today.txt', Buffer.from('hello'))
 * const content = await text(await machine.files.read('notes/today.txt'))
 * ```
 */
export interface Files {
  /** Opens a regular file. Anything that could block, such as a named pipe, fails with WRONG_KIND. */
  open(path: string, options?: FileOptions): Promise<OpenFile>
  /** Opens a file and reads it, or a range of it. */
  read(path: string, options?: FileOptions & FileRange): Promise<Readable>
  /** Writes a file and creates its parent folders. The file appears under its name only when it is complete. */
  write(path: string, content: Readable | Uint8Array, options?: WriteOptions): Promise<FileInfo>
  /**
   * Creates a small file as a program in the machine would: an existing one is EXISTS, all of the machine sees it when the call
   * resolves, and it is lost if the host crashes soon. A machine without our agent looks before it writes, so a file that appears
   * in between is replaced.
   */
  create(path: string, content: Uint8Array, options?: FileOptions): Promise<FileInfo>
  /** Reads a whole file at once if it is small, which takes less time than `open` and `read`. */
  readSmall(path: string, options?: FileOptions): Promise<SmallFile>
  /** Copies a file inside the machine, with the guarantees of `write` and with its mode. */
  copy(from: string, to: string, options?: FileOptions): Promise<FileInfo>
  /** Describes the path itself; a symlink is not followed. */
  stat(path: string, options?: FileOptions): Promise<FileInfo>
  /** Lists one page of a folder. */
  list(path: string, options?: ListOptions): Promise<FolderPage>
  /** Creates a folder and its parents. A folder that already exists is not an error; a file is EXISTS. */
  makeDirectory(path: string, options?: FileOptions): Promise<void>
  /** Moves a file or folder and creates the parent folders of its new path. */
  move(from: string, to: string, options?: MoveOptions): Promise<void>
  /** Removes a file, or a folder with everything in it. A path that does not exist is not an error. */
  remove(path: string, options?: RemoveOptions): Promise<void>
  /** Settles when changes are being recorded. The iteration ends with the folder, the machine or the signal. */
  watch(path: string, options?: WatchOptions): Promise<AsyncIterable<FileChange>>
}
