/**
 * A question that many ask at the same time, and whose answer costs much. Those who ask while it is being answered share the
 * next answer, because what they want to know may have changed since the current one began.
 */
export class SharedCall<T> {
  readonly #ask: () => Promise<T>
  #current: Promise<T> | undefined
  #next: Promise<T> | undefined

  constructor(ask: () => Promise<T>) {
    this.#ask = ask
  }

  /** Resolves with an answer that began after this call. */
  call(): Promise<T> {
    if (!this.#current) return this.#begin()
    this.#next ??= this.#current.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  #begin(): Promise<T> {
    this.#next = undefined
    const current = this.#ask().finally(() => {
      if (this.#current === current) this.#current = undefined
    })
    this.#current = current
    return current
  }
}
