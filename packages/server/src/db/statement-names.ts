/** More than a service has statements whose text does not depend on its values. */
const maxNames = 400
/** How many texts that were seen once are remembered. Lists of values make texts that never come again. */
const maxSeen = 1000

const preparable = /^(select|insert|update|delete|with)\b/i

/**
 * Names the statements that repeat, so that each connection parses and plans them once: the planning of a small statement takes
 * longer than its execution. The number of names is bounded, because the server keeps a plan for each on every connection.
 */
export class StatementNames {
  readonly #seen = new Set<string>()
  readonly #names = new Map<string, string>()

  /** Returns undefined for a statement that is not prepared. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxNames || !preparable.test(text)) return known
    if (this.#seen.delete(text)) {
      const name = `repeated-${this.#names.size}`
      this.#names.set(text, name)
      return name
    }
    if (this.#seen.size >= maxSeen) this.#seen.clear()
    this.#seen.add(text)
    return undefined
  }
}
