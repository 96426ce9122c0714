/** Is aborted when the first of several signals is, with its reason. Unlike `AbortSignal.any`, it can let go of them. */
export class LinkedSignal {
  readonly #signals: readonly AbortSignal[]
  readonly #controller = new AbortController()

  constructor(signals: readonly (AbortSignal | undefined)[]) {
    this.#signals = signals.filter(each => each !== undefined)
    for (const each of this.#signals)
      if (each.aborted) this.#end()
      else each.addEventListener('abort', this.#end)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  release(): void {
    for (const each of this.#signals) each.removeEventListener('abort', this.#end)
  }

  readonly #end = () => {
    this.release()
    this.#controller.abort(this.#signals.find(({ aborted }) => aborted)?.reason)
  }
}
