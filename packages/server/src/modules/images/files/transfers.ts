import { ApiError } from '@sandglass/protocol'

/** Files are kept on the disk of the service while they are sent or received, so an organization has few at a time. */
const maxAtOnce = 2

/** The files of images that are being sent and received by this process. */
export class Transfers {
  readonly #counts = new Map<string, number>()

  /** Dispose of what is returned when nothing of the file is kept any more. */
  begin(orgId: string): Disposable {
    const count = this.#counts.get(orgId) ?? 0
    if (count >= maxAtOnce) throw new ApiError('image.TOO_MANY_FILES', { retryAfter: 30 })
    this.#counts.set(orgId, count + 1)
    return {
      [Symbol.dispose]: () => {
        const left = (this.#counts.get(orgId) ?? 1) - 1
        if (left > 0) this.#counts.set(orgId, left)
        else this.#counts.delete(orgId)
      },
    }
  }
}
