import { ahead, plus } from './sequence.ts'

/** Reorders segments. It holds at most twice its size: early segments, and those that have not been read. */
export class ReceiveWindow {
  readonly #size: number
  readonly #early = new Map<number, Uint8Array>()
  readonly #ready: Uint8Array[] = []
  #next: number

  constructor(size: number, first = 0) {
    this.#size = size
    this.#next = first
  }

  /** The first sequence number that has not been received. */
  get next(): number {
    return this.#next
  }

  /** How many further segments can be kept until somebody reads. */
  get free(): number {
    return Math.max(0, this.#size - this.#ready.length)
  }

  /** Segments in memory. */
  get held(): number {
    return this.#early.size + this.#ready.length
  }

  /** Keeps a copy of a new segment within the window. `past` is a duplicate, and `beyond` exceeds the window. */
  accept(sequence: number, data: Uint8Array): 'new' | 'past' | 'beyond' {
    const place = ahead(sequence, this.#next)
    if (place >= this.#size) return 'beyond'
    if (place < 0 || this.#early.has(sequence)) return 'past'
    this.#early.set(sequence, Uint8Array.from(data))
    this.#order()
    return 'new'
  }

  /** The next bytes in order, or undefined if there are none. */
  read(): Uint8Array | undefined {
    const data = this.#ready.shift()
    this.#order()
    return data
  }

  #order(): void {
    while (this.#ready.length < this.#size) {
      const data = this.#early.get(this.#next)
      if (!data) return
      this.#early.delete(this.#next)
      this.#next = plus(this.#next, 1)
      if (data.length > 0) this.#ready.push(data)
    }
  }
}
