/** All tables share one tree of characters: by node and ASCII character, the node that comes next; 0 where no word goes on. */
const maxNodes = 4096
const next = new Uint16Array(maxNodes * 128)
/** By node, which of its table's values the word that ends there has. */
const ends = new Uint16Array(maxNodes)
let lastNode = 0

function newNode(): number {
  if (++lastNode >= maxNodes) throw new RangeError('more words than nodes')
  return lastNode
}

function edge(node: number, code: number): number {
  return (node << 7) | code
}

/** The node that one more character leads to. */
export function step(node: number, code: number): number {
  return code < 128 ? (next[edge(node, code)] ?? 0) : 0
}

/**
 * A table of words, which is walked from its root while a text is read: no character is looked at twice, and
 * nothing is cut out of the text.
 */
export class Words<T> {
  readonly root = newNode()
  readonly #values: (T | undefined)[] = [undefined]

  /** Words of other characters than ASCII, which are few. */
  readonly #others: (readonly [word: string, value: T])[] = []

  /** The first value of a word stays. */
  add(word: string, value: T): void {
    if (word.charCodeAt(0) > 127) this.#others.push([word, value])
    else this.#grow(word, value)
  }

  /** The word of other characters that stands at `at`. */
  other(text: string, at: number): readonly [word: string, value: T] | undefined {
    for (const other of this.#others) if (text.startsWith(other[0], at)) return other
    return undefined
  }

  #grow(word: string, value: T): void {
    let node = this.root
    for (let at = 0; at < word.length; at++) {
      const code = word.charCodeAt(at)
      if (code >= 128) throw new RangeError('a word of other characters than ASCII')
      const after = next[edge(node, code)] || newNode()
      next[edge(node, code)] = after
      node = after
    }
    ends[node] ||= this.#values.push(value) - 1
  }

  /** What the word that leads to a node stands for. */
  at(node: number): T | undefined {
    return this.#values[ends[node] ?? 0]
  }

  find(text: string, start: number, end: number): T | undefined {
    let node = this.root
    for (let at = start; at < end && node > 0; at++) node = step(node, text.charCodeAt(at))
    return this.at(node)
  }
}
