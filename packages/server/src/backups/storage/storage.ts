/**
 * Where backups are kept: a folder, or a bucket of an S3-compatible storage. Names consist of letters, digits, `.`, `-` and `/`.
 * Whatever fails is a {@link BackupStorageError}.
 */
export interface BackupStorage {
  /** What people call it. */
  readonly shown: string
  /** Returns undefined if there is nothing with this name. */
  get(name: string): Promise<Buffer | undefined>
  /** Stores something completely or not at all, and replaces what had the name before. */
  put(name: string, body: Buffer): Promise<void>
  /** Repeating it is not an error. */
  delete(name: string): Promise<void>
  /** Yields the names with a prefix, which ends with `/`, in order. */
  list(prefix: string): AsyncIterable<string>
}

/** The storage of backups cannot be used. The message is a sentence that names it. */
export class BackupStorageError extends Error {
  override readonly name = 'BackupStorageError'
}
