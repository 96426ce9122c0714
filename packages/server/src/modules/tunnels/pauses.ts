/** Something that can be told to send nothing for a while. */
export interface Pausable {
  pause(): void
  resume(): void
}

/** The reasons for which something is paused. It is resumed when there is none left. */
export class Pauses {
  readonly #source: Pausable
  readonly #reasons = new Set<string>()

  constructor(source: Pausable) {
    this.#source = source
  }

  get areAny(): boolean {
    return this.#reasons.size > 0
  }

  begin(reason: string): void {
    if (this.#reasons.size === 0) this.#source.pause()
    this.#reasons.add(reason)
  }

  end(reason: string): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#source.resume()
  }

  /** Pauses for this long. Does nothing if it is paused for the same reason already. */
  last(reason: string, ms: number): void {
    if (this.#reasons.has(reason)) return
    this.begin(reason)
    setTimeout(() => this.end(reason), ms)
  }

  endAll(): void {
    for (const reason of [...this.#reasons]) this.end(reason)
  }
}
