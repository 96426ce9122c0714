/** Nobody fetches a picture for so long after it was taken: then it is encoded anyway. */
const longestMs = 40

/**
 * Pictures that wait to be encoded until somebody wants them, or for a moment: encoding takes a core for as long as
 * several actions do, and whoever acts on without looking shall not wait for it.
 */
export class Postponed {
  readonly #waiting = new Map<string, () => void>()

  until(id: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.hurry(id), longestMs)
    this.#waiting.set(id, () => {
      clearTimeout(timer)
      this.#waiting.delete(id)
      resolve()
    })
    return promise
  }

  hurry(id: string): void {
    this.#waiting.get(id)?.()
  }

  hurryAll(): void {
    for (const id of [...this.#waiting.keys()]) this.hurry(id)
  }
}
