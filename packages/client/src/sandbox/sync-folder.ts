import type { CallOptions } from '../call-options.ts'
import type { Target } from './target.ts'

export interface SyncOptions extends CallOptions {
  /** Whether files and folders in the sandbox that are not here are removed. They are kept by default. */
  readonly remove?: boolean | undefined
  /** Returns false for what is left out, with its path relative to the folder. A folder that is left out is not entered. */
  readonly filter?: ((path: string) => boolean) | undefined
}

/** Paths are relative to the folder. */
export interface SyncResult {
  readonly uploaded: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  /** What is neither a file nor a folder, such as a symlink, and names that are not Unicode. */
  readonly skipped: readonly string[]
}

export async function syncFolder(
  _target: Target,
  _localFolder: string,
  _folder: string,
  _options: SyncOptions,
): Promise<SyncResult> {
  throw new TypeError('not yet')
}
