const most = 1000
const longestWord = 40

/** What was made of words before, up to a bound: models use few words, again and again. */
export class Remembered<Made> {
  readonly #made = new Map<string, Made>()
  readonly #make: (word: string) => Made

  constructor(make: (word: string) => Made) {
    this.#make = make
  }

  of(word: string): Made {
    const before = this.#made.get(word)
    if (before !== undefined) return before
    if (word.length > longestWord || this.#made.size >= most) return this.#make(word)
    // A copy, since a part of a text would keep the whole text in memory.
    const own = [...word].join('')
    const made = this.#make(own)
    this.#made.set(own, made)
    return made
  }
}
