/** Hooks that take back what was done, run in reverse when a later step fails. */
export class Undo {
  readonly #hooks: (() => Promise<void>)[] = []

  add(hook: () => Promise<void>): void {
    this.#hooks.push(hook)
  }

  /** Every hook runs, whatever the others do; their failures are given back, first failure first. */
  async run(): Promise<unknown[]> {
    const failures: unknown[] = []
    for (let hook = this.#hooks.pop(); hook; hook = this.#hooks.pop()) {
      await hook().catch(failure => failures.push(failure))
    }
    return failures
  }
}
