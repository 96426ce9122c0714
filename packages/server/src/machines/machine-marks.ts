import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A set of machines that is stored as one empty file per machine in the data directory. It is not in the database, because
 * it must be kept even if the service is started with another or an older database.
 */
export class MachineMarks {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  add(id: string): void {
    closeSync(openSync(join(this.#folder, id), 'w', 0o600))
  }

  has(id: string): boolean {
    return existsSync(join(this.#folder, id))
  }

  delete(id: string): void {
    rmSync(join(this.#folder, id), { force: true })
  }

  /** Syncs the folder, so that marks that were added before survive a power failure. */
  flush(): void {
    const folder = openSync(this.#folder, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }
}

/** Machines that were newer than the database. They are left alone even after the database has reached their numbers. */
export const leftAloneIn = (dataDirectory: string) => new MachineMarks(join(dataDirectory, 'left-alone'))

/**
 * Pooled machines that became a sandbox. An older database still has them in the pool, and would give one user's files to
 * the next.
 */
export const handedOutIn = (dataDirectory: string) => new MachineMarks(join(dataDirectory, 'handed-out'))
