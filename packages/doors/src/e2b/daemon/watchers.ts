import type { FileChange } from '@sandglass/machines/contract'

/** Watches whose changes a client fetches from time to time, instead of reading a stream. */
export interface Watchers {
  /** Keeps the changes of a watch, and returns its id. */
  add(changes: AsyncIterable<FileChange>, stop: () => void): string
  /** Returns the changes since the last time. Throws `file.NOT_FOUND` if there is no such watch. */
  take(id: string): readonly FileChange[]
  remove(id: string): void
}
