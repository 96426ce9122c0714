import { ApiError } from '@sandglass/protocol'
import type { PictureStore } from './store.ts'

/** How old what is known of the free space may be. */
const refreshEveryMs = 1000

/**
 * Whether pictures can be stored, as far as is known. Every further picture is tried all the same, so that the first one
 * that is stored ends a failure.
 */
export class StorageState {
  readonly #store: PictureStore
  #hasFailed = false
  #hasShortage = false
  #refreshedAtMs = Number.NEGATIVE_INFINITY

  constructor(store: PictureStore) {
    this.#store = store
  }

  /** Whether a picture that is taken now will find no space. */
  get isShort(): boolean {
    return this.#hasFailed || this.#hasShortage
  }

  /** Asks the store again what space it has, unless it did just now. */
  async refresh(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#refreshedAtMs < refreshEveryMs) return
    this.#refreshedAtMs = nowMs
    this.#hasShortage = !(await this.#store.hasSpace())
  }

  stored(): void {
    this.#hasFailed = false
  }

  failed(error: unknown): void {
    if (isOutOfSpace(error)) this.#hasFailed = true
  }
}

/** How soon a caller should look whether there is space again. */
const retrySeconds = 10

export function outOfSpace(cause?: unknown): ApiError {
  const message =
    'The screenshot cannot be stored: the disk of the host is full or failing. The operator has to free space.'
  return new ApiError('node.DISK_FULL', { message, retryAfter: retrySeconds, cause })
}

/** What a file system says when it is full, or when what it is on is. */
export function isOutOfSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(ENOSPC|EDQUOT|EIO|EROFS)$/.test(String(error.code))
}
