/** Runs undo hooks in reverse order when a later step fails. */
export class Undo {
  readonly #hooks: (() => Promise<void>)[] = []

  add(hook: () => Promise<void>): void {
    this.#hooks.push(hook)
  }

  /** Runs every hook even if others fail. Returns the failures in the order in which they occurred. */
  async run(): Promise<unknown[]> {
    const failures: unknown[] = []
    for (let hook = this.#hooks.pop(); hook; hook = this.#hooks.pop()) {
      await hook().catch(failure => failures.push(failure))
    }
    return failures
  }
}
