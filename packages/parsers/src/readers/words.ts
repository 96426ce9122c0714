const longest = 31

/** A table of words that is asked about spans of a text, without cutting the span out first. */
export class Words<T> {
  /** By first character and length; the few that share both are compared one by one. */
  readonly #buckets: ([word: string, value: T][] | undefined)[] = new Array(128 << 5).fill(undefined)

  add(word: string, value: T): void {
    if (word.length === 0 || word.length > longest) return
    const key = ((word.charCodeAt(0) & 127) << 5) | word.length
    const bucket = this.#buckets[key]
    if (bucket === undefined) this.#buckets[key] = [[word, value]]
    else if (!bucket.some(entry => entry[0] === word)) bucket.push([word, value])
  }

  find(text: string, start: number, end: number): T | undefined {
    const length = end - start
    if (length > longest) return undefined
    const bucket = this.#buckets[((text.charCodeAt(start) & 127) << 5) | length]
    if (bucket === undefined) return undefined
    for (const [word, value] of bucket) if (isAt(text, start, word)) return value
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

const spellings = new Words<string>()

/** Makes a name one that is looked up rather than cut out wherever a text has it. */
export function learn(name: string): string {
  spellings.add(name, name)
  return name
}

/** The name that stands in the span. */
export function nameAt(text: string, start: number, end: number): string {
  return spellings.find(text, start, end) ?? text.slice(start, end)
}
