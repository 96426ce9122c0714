import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { touchById } from '../../records/sandboxes.ts'

/** The use of a sandbox is recorded at most once per interval, to save writes. */
const everyMs = 1000

/** Renews the idle timeout of a sandbox that is used, without making the caller wait for the write. */
export class SandboxUse {
  readonly #db: Database
  readonly #log: Logger
  readonly #recentlyRecorded = new Set<string>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  touched(sandboxId: string): void {
    if (this.#recentlyRecorded.has(sandboxId)) return
    this.#recentlyRecorded.add(sandboxId)
    setTimeout(() => this.#recentlyRecorded.delete(sandboxId), everyMs).unref()
    touchById(this.#db, sandboxId).catch(error =>
      this.#log.warn({ sandbox: sandboxId, error }, 'the last use of a sandbox could not be recorded'),
    )
  }
}
