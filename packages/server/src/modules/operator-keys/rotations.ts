import type { Logger } from 'pino'
import type { CredentialsFile, KeyInFile } from '../../credentials-file.ts'
import type { Database } from '../../db/database.ts'

/** Puts the new secret of a key into credentials.json if the file contains the old one; returns whether it did. */
export type Offer = (oldHash: Buffer, secret: string) => Promise<boolean>

/** Rotates keys so that credentials.json in the data directory of this node always contains a secret that works. */
export class Rotations {
  readonly #db: Database
  readonly #file: CredentialsFile
  readonly #log: Logger

  constructor(db: Database, file: CredentialsFile, log: Logger) {
    this.#db = db
    this.#file = file
    this.#log = log
  }

  /** `rotate` commits the new secret, and calls `offer` before that. */
  run<T>(key: KeyInFile, rotate: (offer: Offer) => Promise<T>): Promise<T> {
    return this.#file.exclusively(async () => {
      try {
        return await rotate((oldHash, secret) => this.#file.offer(key, oldHash, secret))
      } finally {
        await this.#file
          .settle(this.#db)
          .catch(error =>
            this.#log.warn({ error }, 'credentials.json contains two secrets of a key until the next start'),
          )
      }
    })
  }

  /** Whether the file contains a key of this organization. */
  async concern(orgId: string): Promise<boolean> {
    const credentials = await this.#file.read().catch(() => undefined)
    return credentials?.orgId === orgId
  }
}
