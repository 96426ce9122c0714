/** If no further picture was taken for this long, the agent has paused. */
const quietMs = 40
const maxDelayMs = 150

/**
 * Delays the encoding of pictures until somebody fetches them, or there is a pause. Encoding takes a core for as long
 * as several actions do, so an agent that acts without looking must not wait for it.
 */
export class Postponed {
  readonly #waiting = new Map<string, () => void>()
  #quiet: NodeJS.Timeout | undefined
  #deadline: NodeJS.Timeout | undefined

  until(id: string): Promise<void> {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.releaseAll(), quietMs)
    this.#deadline ??= setTimeout(() => this.releaseAll(), maxDelayMs)
    return new Promise(resolve => this.#waiting.set(id, resolve))
  }

  release(id: string): void {
    this.#waiting.get(id)?.()
    this.#waiting.delete(id)
  }

  releaseAll(): void {
    clearTimeout(this.#quiet)
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    for (const id of [...this.#waiting.keys()]) this.release(id)
  }
}
