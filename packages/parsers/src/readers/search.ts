/** Finds a string repeatedly from increasing positions, examining each character only once. */
export class Search {
  readonly #text: string
  readonly needle: string
  #from = -1
  #found = -1

  constructor(text: string, needle: string) {
    this.#text = text
    this.needle = needle
  }

  /** The position after the next occurrence, or `limit` if none ends before it. */
  after(from: number, limit: number): number {
    const found = this.next(from)
    return found < 0 ? limit : Math.min(found + this.needle.length, limit)
  }

  /** The next occurrence at or after `from`, or -1. */
  next(from: number): number {
    if (this.#from >= 0 && from >= this.#from && (this.#found < 0 || this.#found >= from)) return this.#found
    this.#from = from
    this.#found = this.#text.indexOf(this.needle, from)
    return this.#found
  }
}
