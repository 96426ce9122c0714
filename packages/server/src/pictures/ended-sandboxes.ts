import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { selectExisting } from '../records/sandboxes.ts'
import type { Pictures } from './pictures.ts'

/** Deletes the pictures of sandboxes that were deleted or have expired. */
export class EndedSandboxes {
  readonly #db: Database
  readonly #pictures: Pictures
  readonly #log: Logger

  constructor(db: Database, pictures: Pictures, log: Logger) {
    this.#db = db
    this.#pictures = pictures
    this.#log = log
  }

  /** Call this when a sandbox may have ended. */
  changed(id: string): void {
    void this.#deleteEnded(ids => (ids.includes(id) ? [id] : [])).catch(error =>
      this.#log.warn({ error, sandbox: id }, 'the screenshots of a sandbox were not deleted; retrying later'),
    )
  }

  /** Finds what `changed` missed, for example because this process was not running. */
  async sweep(): Promise<void> {
    await this.#deleteEnded(ids => ids)
  }

  async #deleteEnded(choose: (ids: readonly string[]) => readonly string[]): Promise<void> {
    const ids = choose(await this.#pictures.sandboxIds())
    if (ids.length === 0) return
    const existing = new Set(await selectExisting(this.#db, ids))
    for (const id of ids) if (!existing.has(id)) await this.#pictures.deleteSandbox(id)
  }
}
