import { hexHashOf } from './secret.ts'

const maxCredentials = 10_000

/**
 * The hashes of credentials that held when they were last looked up, since hashing is most of what it takes to
 * recognise a caller. A credential has one hash for ever: whether it still holds is not decided here, but by what
 * is stored for that hash.
 */
export class KnownHashes {
  readonly #hashes = new Map<string, string>()

  of(credential: string): string {
    return this.#hashes.get(credential) ?? hexHashOf(credential)
  }

  /** Only for a credential that holds, so that guesses push nobody out. */
  remember(credential: string, hash: string): void {
    if (this.#hashes.size >= maxCredentials) {
      const [oldest] = this.#hashes.keys()
      if (oldest !== undefined) this.#hashes.delete(oldest)
    }
    this.#hashes.set(credential, hash)
  }

  forgetAll(): void {
    this.#hashes.clear()
  }
}
