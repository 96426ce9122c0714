import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A set of machines that is kept in the data directory, one empty file for each, because it must be remembered whatever
 * database the service is started with.
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

  /** What was added before is still there after a loss of power. */
  flush(): void {
    const folder = openSync(this.#folder, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }
}

/** Machines that are newer than a database was: left alone, whatever number that database has reached since. */
export const leftAloneIn = (dataDirectory: string) => new MachineMarks(join(dataDirectory, 'left-alone'))

/**
 * Machines that were booted ahead and then became somebody's sandbox. An older database has them in the pool still, and
 * would give what one user left in them to the next.
 */
export const handedOutIn = (dataDirectory: string) => new MachineMarks(join(dataDirectory, 'handed-out'))
