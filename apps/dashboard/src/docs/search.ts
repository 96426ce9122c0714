import type { OperationEntry } from './reference-data.ts'

export interface Found {
  readonly operation: OperationEntry
  /** The error code that was found in it, if that is why it is here. */
  readonly error?: string
}

/** The operations in which every word of the text occurs: in the name, the path, the summary or an error code. Names come first. */
export function search(operations: readonly OperationEntry[], text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations
    .flatMap(operation => {
      const rank = rankOf(operation, words)
      return rank === undefined ? [] : [{ ...foundIn(operation, words), rank }]
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ rank: _, ...found }) => found)
}

/** Undefined if a word occurs nowhere; otherwise 0 for the best match. */
function rankOf(operation: OperationEntry, words: readonly string[]): number | undefined {
  const ranks = words.map(word => fieldsOf(operation).findIndex(field => field(word)))
  return ranks.includes(-1) ? undefined : Math.max(0, ...ranks)
}

function fieldsOf({ id, publishedId = '', method, path, summary, tag, errors }: OperationEntry) {
  const name = id.toLowerCase()
  return [
    (word: string) => name.startsWith(word),
    (word: string) => name.includes(word) || publishedId.toLowerCase().includes(word),
    (word: string) => path.toLowerCase().includes(word) || method.toLowerCase() === word,
    (word: string) => `${summary} ${tag}`.toLowerCase().includes(word),
    (word: string) => errors.some(code => code.toLowerCase().includes(word)),
  ]
}

function foundIn(operation: OperationEntry, words: readonly string[]): Found {
  const error = operation.errors.find(code =>
    words.some(word => word.length > 2 && code.toLowerCase().includes(word)),
  )
  const isNamed = words.every(word => operation.id.toLowerCase().includes(word))
  return { operation, ...(error !== undefined && !isNamed && { error }) }
}
