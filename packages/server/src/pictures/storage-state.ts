import { ApiError } from '@sandglass/protocol'
import type { PictureStore } from './store.ts'

/** The maximum age of the information about free space. */
const refreshEveryMs = 1000

/** A failure counts for this long, since the next picture may be stored only when somebody fetches it. */
const failureMs = 2000

/** Tracks whether pictures can be stored. Further pictures are tried even after a failure. */
export class StorageState {
  readonly #store: PictureStore
  #failedAtMs = Number.NEGATIVE_INFINITY
  #hasShortage = false
  #refreshedAtMs = Number.NEGATIVE_INFINITY

  constructor(store: PictureStore) {
    this.#store = store
  }

  /** Whether a picture that is taken now is expected to find no space. */
  get isShort(): boolean {
    return performance.now() - this.#failedAtMs < failureMs || this.#hasShortage
  }

  /** Checks the free space of the store again, unless that was done just now. */
  async refresh(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#refreshedAtMs < refreshEveryMs) return
    this.#refreshedAtMs = nowMs
    this.#hasShortage = !(await this.#store.hasSpace())
  }

  stored(): void {
    this.#failedAtMs = Number.NEGATIVE_INFINITY
  }

  failed(error: unknown): void {
    if (isOutOfSpace(error)) this.#failedAtMs = performance.now()
  }
}

/** The time after which a caller should retry. */
const retrySeconds = 10

export function outOfSpace(cause?: unknown): ApiError {
  const message =
    'The screenshot cannot be stored: the disk of the host is full or failing. The operator has to free space.'
  return new ApiError('node.DISK_FULL', { message, retryAfter: retrySeconds, cause })
}

/** Returns whether the error is one that a file system reports when it, or the disk below it, is full or failing. */
export function isOutOfSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ENOSPC|EDQUOT|EIO|EROFS)$/.test(String(error.code))
}
