import { randomBytes } from 'node:crypto'

/**
 * The names of the sessions that one opener has with a machine, one after the other. The machine serves only the last one, because bytes of
 * one that was given up may arrive long after: a member that was cut off delivers them when its network is back.
 */
export class SessionNames {
  readonly #opener = randomBytes(8).toString('hex')
  #number = 0

  /** The name of the next session. Ask for it when the session begins to be opened, which may take long. */
  next(): string {
    return `${this.#opener}.${++this.#number}`
  }
}
