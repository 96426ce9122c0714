import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { touchById } from '../../records/sandboxes.ts'

/** Use of a sandbox is written down so often at the most. */
const everyMs = 1000

/** Whatever is done in a sandbox puts off its end by idleness; what comes by a call is told with the call. */
export class SandboxUse {
  readonly #db: Database
  readonly #log: Logger
  readonly #written = new Set<string>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  touched(sandboxId: string): void {
    if (this.#written.has(sandboxId)) return
    this.#written.add(sandboxId)
    setTimeout(() => this.#written.delete(sandboxId), everyMs).unref()
    touchById(this.#db, sandboxId).catch(error =>
      this.#log.warn({ sandbox: sandboxId, error }, 'the last use of a sandbox could not be recorded'),
    )
  }
}
