const maxEntries = 1000
const maxWordLength = 40

/** A bounded memo of results per word: models use few words again and again. */
export class Memo<Result> {
  readonly #results = new Map<string, Result>()
  readonly #make: (word: string) => Result

  constructor(make: (word: string) => Result) {
    this.#make = make
  }

  of(word: string): Result {
    const before = this.#results.get(word)
    if (before !== undefined) return before
    if (word.length > maxWordLength || this.#results.size >= maxEntries) return this.#make(word)
    // Copy the word, because a substring would keep the whole text in memory.
    const own = [...word].join('')
    const result = this.#make(own)
    this.#results.set(own, result)
    return result
  }
}
