/** No further picture was taken for so long: whoever acts has paused. */
const quietMs = 40
const longestMs = 150

/**
 * Pictures that wait to be encoded until somebody wants them, or there is a pause: encoding takes a core for as long
 * as several actions do, and whoever acts on without looking shall not wait for it.
 */
export class Postponed {
  readonly #waiting = new Map<string, () => void>()
  #quiet: NodeJS.Timeout | undefined
  #latest: NodeJS.Timeout | undefined

  until(id: string): Promise<void> {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.releaseAll(), quietMs)
    this.#latest ??= setTimeout(() => this.releaseAll(), longestMs)
    return new Promise(resolve => this.#waiting.set(id, resolve))
  }

  release(id: string): void {
    this.#waiting.get(id)?.()
    this.#waiting.delete(id)
  }

  releaseAll(): void {
    clearTimeout(this.#quiet)
    clearTimeout(this.#latest)
    this.#latest = undefined
    for (const id of [...this.#waiting.keys()]) this.release(id)
  }
}
