/** Finds one string again and again from rising positions, looking at each character once in all. */
export class Search {
  readonly #text: string
  readonly needle: string
  #from = -1
  #found = -1

  constructor(text: string, needle: string) {
    this.#text = text
    this.needle = needle
  }

  /** The place right after the next one, or `limit` when none ends before it. */
  after(from: number, limit: number): number {
    const found = this.next(from)
    return found < 0 ? limit : Math.min(found + this.needle.length, limit)
  }

  /** The next place of the string at or after `from`, or -1. */
  next(from: number): number {
    if (this.#from >= 0 && from >= this.#from && (this.#found < 0 || this.#found >= from)) return this.#found
    this.#from = from
    this.#found = this.#text.indexOf(this.needle, from)
    return this.#found
  }
}
