import { hexHashOf } from './secret.ts'

const maxCredentials = 10_000

/**
 * Caches the hashes of valid credentials, because hashing is most of the cost of recognising a caller. A stale entry
 * is harmless: the hash of a credential never changes, and whether the credential is still valid is decided by what
 * is stored for the hash.
 */
export class KnownHashes {
  readonly #hashes = new Map<string, string>()

  of(credential: string): string {
    return this.#hashes.get(credential) ?? hexHashOf(credential)
  }

  /** Call this only for a valid credential, so that guesses cannot evict the entries of real callers. */
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
