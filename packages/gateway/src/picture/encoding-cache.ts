import type { Encoded } from './drawing.ts'

/** Max entries; more are unlikely to be reused. */
const maxKept = 64

interface Entry {
  readonly cells: readonly number[]
  readonly encoded: Encoded
}

/** Caches encoded cells until they change, so that viewers who need the same cells share the encoding. */
export class EncodingCache {
  readonly #entries = new Map<string, Entry>()

  get(kind: 'first' | 'exact', cells: readonly number[], encode: () => Encoded): Encoded {
    const key = `${kind} ${cells}`
    const known = this.#entries.get(key)
    if (known) return known.encoded
    const encoded = encode()
    this.#entries.set(key, { cells, encoded })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > maxKept && oldest !== undefined) this.#entries.delete(oldest)
    return encoded
  }

  forget(changed: ReadonlySet<number>): void {
    for (const [key, { cells }] of this.#entries)
      if (cells.some(cell => changed.has(cell))) this.#entries.delete(key)
  }
}
