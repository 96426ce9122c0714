import type { PictureId } from './picture-id.ts'

/** A picture that was taken and is not stored yet. */
export interface PendingPicture {
  /** Call this when somebody waits for it. */
  readonly fetch: () => void
  /** Resolves when the picture was encoded, or has failed. */
  readonly encoded: Promise<void>
  isEncoded: boolean
  readonly stored: Promise<void>
}

/** How a picture becomes a stored one. */
export interface Course {
  readonly fetch: () => void
  /** Calls `onEncoded` as soon as the picture can be fetched. */
  readonly develop: (onEncoded: () => void) => Promise<void>
}

const maxFailures = 1000

/** The pictures that are not stored yet, and those that could not be. */
export class PendingPictures {
  readonly #pending = new Map<string, PendingPicture>()
  /** The errors of the most recent pictures that failed. */
  readonly #failed = new Map<string, unknown>()
  readonly #onFailure: (id: PictureId, error: unknown) => void

  constructor(onFailure: (id: PictureId, error: unknown) => void) {
    this.#onFailure = onFailure
  }

  add(id: PictureId, { fetch, develop }: Course): PendingPicture {
    const encoded = Promise.withResolvers<void>()
    const onEncoded = () => {
      pending.isEncoded = true
      encoded.resolve()
    }
    const stored = develop(onEncoded).finally(() => {
      onEncoded()
      this.#pending.delete(id.text)
    })
    const pending: PendingPicture = { fetch, encoded: encoded.promise, isEncoded: false, stored }
    stored.catch(error => {
      this.#onFailure(id, error)
      this.#failed.set(id.text, error)
      const [oldest] = this.#failed.keys()
      if (oldest && this.#failed.size > maxFailures) this.#failed.delete(oldest)
    })
    this.#pending.set(id.text, pending)
    return pending
  }

  has({ text }: PictureId): boolean {
    return this.#pending.has(text)
  }

  get({ text }: PictureId): PendingPicture | undefined {
    return this.#pending.get(text)
  }

  /** Why a picture could not be encoded or stored. */
  failureOf({ text }: PictureId): unknown {
    return this.#failed.get(text)
  }

  /** Resolves when the picture is stored, has failed, or is not pending. */
  async stored(id: PictureId): Promise<void> {
    await this.get(id)?.stored.catch(() => {})
  }

  /** Resolves when none of those that are pending now is. */
  async allStored(): Promise<void> {
    await Promise.allSettled([...this.#pending.values()].map(({ stored }) => stored))
  }
}
