import type { Encoded } from './drawing.ts'

/** More are not asked for twice. */
const maxKept = 64

interface Entry {
  readonly cells: readonly number[]
  readonly encoded: Encoded
}

/** Cells that were encoded, for as long as they are as they were: those who come later are sent the same. */
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
