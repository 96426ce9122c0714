/** All tries share these arrays: the next node by node and ASCII character; 0 if no word continues. */
const maxNodes = 4096
const next = new Uint16Array(maxNodes * 128)
/** The index of the value of the word that ends at each node. */
const ends = new Uint16Array(maxNodes)
let lastNode = 0

function newNode(): number {
  if (++lastNode >= maxNodes) throw new RangeError('more words than nodes')
  return lastNode
}

function edge(node: number, code: number): number {
  return (node << 7) | code
}

/** The node that one more character leads to; 0 if there is none. */
export function nextNode(node: number, code: number): number {
  return code < 128 ? (next[edge(node, code)] ?? 0) : 0
}

/**
 * A set of words with values, which is walked while a text is read: no character is examined twice, and nothing is
 * copied from the text.
 */
export class Trie<T> {
  readonly root = newNode()
  readonly #values: (T | undefined)[] = [undefined]

  /** Words that are not ASCII, which are few. */
  readonly #others: (readonly [word: string, value: T])[] = []

  /** Adds a word. If it is already there, its first value is kept. */
  add(word: string, value: T): void {
    if (word.charCodeAt(0) > 127) this.#others.push([word, value])
    else this.#grow(word, value)
  }

  /** The non-ASCII word at `at`, if there is one. */
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

  /** The value of the word that ends at a node. */
  at(node: number): T | undefined {
    return this.#values[ends[node] ?? 0]
  }

  find(text: string, start: number, end: number): T | undefined {
    let node = this.root
    for (let at = start; at < end && node > 0; at++) node = nextNode(node, text.charCodeAt(at))
    return this.at(node)
  }
}
