/** The root of every table; 0 is where no word goes on. */
export const root = 1

/** Characters that stand in words each have a column; all others share column 0, which leads nowhere. */
const columns = new Uint8Array(128)
const width = 64
let lastColumn = 0

function columnFor(code: number): number {
  if (columns[code] === 0) columns[code] = ++lastColumn
  if (lastColumn >= width || code >= columns.length) throw new RangeError('more characters than columns')
  return columns[code] ?? 0
}

/**
 * A table of words as a tree of characters, which is walked while a text is read: no character is looked at
 * twice, and nothing is cut out of the text.
 */
export class Words<T> {
  #next = new Uint16Array(32 * width)
  readonly #values: (T | undefined)[] = [undefined, undefined]

  /** The first value of a word stays. */
  add(word: string, value: T): void {
    let node = root
    for (let at = 0; at < word.length; at++) node = this.#grow(node * width + columnFor(word.charCodeAt(at)))
    this.#values[node] ??= value
  }

  #grow(edge: number): number {
    const next = this.#next[edge]
    if (next !== undefined && next > 0) return next
    const node = this.#values.push(undefined) - 1
    if ((node + 1) * width > this.#next.length) {
      const larger = new Uint16Array(this.#next.length * 2)
      larger.set(this.#next)
      this.#next = larger
    }
    this.#next[edge] = node
    return node
  }

  /** Where one more character leads from a place in the tree. */
  step(node: number, code: number): number {
    return code < 128 ? (this.#next[node * width + (columns[code] ?? 0)] ?? 0) : 0
  }

  /** What the word that leads to a place stands for. */
  at(node: number): T | undefined {
    return this.#values[node]
  }

  find(text: string, start: number, end: number): T | undefined {
    let node = root
    for (let at = start; at < end && node > 0; at++) node = this.step(node, text.charCodeAt(at))
    return this.#values[node]
  }
}
