/** Work in the background, one at a time. If it is requested while it is being done, it is done once more afterwards. */
export class RepeatedWork {
  readonly #work: () => Promise<boolean>
  #running: Promise<void> | undefined
  #isRequested = false

  /** @param work returns whether it is to be done once more, and must not throw */
  constructor(work: () => Promise<boolean>) {
    this.#work = work
  }

  request(): void {
    this.#isRequested = true
    this.#running ??= this.#run()
  }

  /** Settles when nothing is left of what was requested so far. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isRequested) {
      this.#isRequested = false
      if (await this.#work()) this.#isRequested = true
    }
    // Right after the last check, so that a request in between cannot be missed.
    this.#running = undefined
  }
}
