/** All tables share one tree of characters: by node and column, the node that comes next; 0 where no word goes on. */
const mostNodes = 8192
const width = 64
const next = new Uint16Array(mostNodes * width)
let lastNode = 0

/**
 * Characters that stand in words each have a column; all others share column 0, which leads nowhere. No
 * character has column 1: what stands there is the value of the word that ends at the node.
 */
const columns = new Uint8Array(128)
const valueColumn = 1
let lastColumn = valueColumn

function columnFor(code: number): number {
  if (code >= columns.length) throw new RangeError('a word of other characters than ASCII')
  if (columns[code] === 0) columns[code] = ++lastColumn
  if (lastColumn >= width) throw new RangeError('more characters than columns')
  return columns[code] ?? 0
}

function newNode(): number {
  if (++lastNode >= mostNodes) throw new RangeError('more words than nodes')
  return lastNode
}

/** The node that one more character leads to. */
export function step(node: number, code: number): number {
  return code < 128 ? (next[node * width + (columns[code] ?? 0)] ?? 0) : 0
}

/**
 * A table of words, which is walked from its root while a text is read: no character is looked at twice, and
 * nothing is cut out of the text.
 */
export class Words<T> {
  readonly root = newNode()
  readonly #values: (T | undefined)[] = [undefined]

  /** The first value of a word stays. */
  add(word: string, value: T): void {
    let node = this.root
    for (let at = 0; at < word.length; at++) {
      const edge = node * width + columnFor(word.charCodeAt(at))
      node = next[edge] || newNode()
      next[edge] = node
    }
    next[node * width + valueColumn] ||= this.#values.push(value) - 1
  }

  /** What the word that leads to a node stands for. */
  at(node: number): T | undefined {
    return this.#values[next[node * width + valueColumn] ?? 0]
  }

  find(text: string, start: number, end: number): T | undefined {
    let node = this.root
    for (let at = start; at < end && node > 0; at++) node = step(node, text.charCodeAt(at))
    return this.at(node)
  }
}
