const longest = 31

interface Entry<T> {
  readonly word: string
  readonly value: T
}

/** A table of words that is asked about spans of a text, without cutting the span out first. */
export class Words<T> {
  /** By first character and length; the few that share both are compared one by one. */
  readonly #buckets: (Entry<T>[] | undefined)[] = new Array(128 << 5).fill(undefined)

  add(word: string, value: T): void {
    if (word.length === 0 || word.length > longest) return
    const key = ((word.charCodeAt(0) & 127) << 5) | word.length
    const bucket = this.#buckets[key]
    if (bucket === undefined) this.#buckets[key] = [{ word, value }]
    else if (!bucket.some(entry => entry.word === word)) bucket.push({ word, value })
  }

  find(text: string, start: number, end: number): T | undefined {
    const length = end - start
    if (length > longest) return undefined
    const bucket = this.#buckets[((text.charCodeAt(start) & 127) << 5) | length]
    if (bucket === undefined) return undefined
    for (let at = 0; at < bucket.length; at++) {
      const entry = bucket[at]
      if (entry !== undefined && isAt(text, start, entry.word)) return entry.value
    }
    return undefined
  }
}

/** For a few characters a loop is quicker than the call of `startsWith`. */
function isAt(text: string, start: number, word: string): boolean {
  for (let at = 1; at < word.length; at++) {
    if (text.charCodeAt(start + at) !== word.charCodeAt(at)) return false
  }
  return text.charCodeAt(start) === word.charCodeAt(0)
}

/** At most so many names are known; the tables by their numbers are this long. */
export const mostNames = 256

/** Known names by their numbers, of which 0 is that of every unknown one. */
const known: string[] = ['']
const numbers = new Map<string, number>()
const spellings = new Words<number>()

/** Makes a name a known one, and answers its number. */
export function learn(name: string): number {
  const before = numbers.get(name)
  if (before !== undefined) return before
  const number = known.push(name) - 1
  if (number >= mostNames) throw new RangeError('more names than mostNames')
  numbers.set(name, number)
  spellings.add(name, number)
  return number
}

export function numberOfName(name: string): number {
  return numbers.get(name) ?? 0
}

/** The number of the name in the span. */
export function nameAt(text: string, start: number, end: number): number {
  return spellings.find(text, start, end) ?? 0
}

/** The name in the span, without cutting it out where it is a known one. */
export function nameText(text: string, start: number, end: number, number: number): string {
  return (number > 0 ? known[number] : undefined) ?? text.slice(start, end)
}
