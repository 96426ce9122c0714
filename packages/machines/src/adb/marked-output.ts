export interface Marked {
  readonly output: string
  readonly code: number
}

/** The exit code has fewer digits. */
const maxCodeLength = 20

/**
 * Finds the output of a command between two marks, and its exit code after the second one, in a text that arrives in
 * pieces. Each piece is searched only once, so that a device gains nothing by sending many small ones.
 */
export class MarkedOutput {
  readonly #marks: readonly [before: string, after: string]
  readonly #maxLength: number
  readonly #pieces: string[] = []
  #length = 0
  /** 0 before the first mark, 1 between the marks, 2 after the second one. */
  #phase = 0
  /** What has to be searched together with the next piece, because it may be the begin of a mark. */
  #tail = ''

  /** Text before and between the marks together may have `maxLength` characters. */
  constructor(before: string, after: string, maxLength: number) {
    this.#marks = [before, after]
    this.#maxLength = maxLength
  }

  /** Whether more than the max length has arrived. */
  get isTooLong(): boolean {
    return this.#length > this.#maxLength
  }

  /** Returns the result once it is complete. Everything after it is ignored. */
  receive(piece: string): Marked | undefined {
    this.#length += piece.length
    let text = this.#tail + piece
    for (let mark = this.#marks[this.#phase]; mark !== undefined; mark = this.#marks[this.#phase]) {
      const at = text.indexOf(mark)
      const end = at === -1 ? Math.max(0, text.length - mark.length + 1) : at
      if (this.#phase === 1) this.#pieces.push(text.slice(0, end))
      text = text.slice(at === -1 ? end : at + mark.length)
      if (at === -1) break
      this.#phase++
    }
    this.#tail = text
    const end = this.#phase === 2 ? text.indexOf(';') : -1
    if (end === -1) {
      if (this.#phase === 2 && text.length > maxCodeLength) this.#length = Infinity
      return undefined
    }
    return { output: this.#pieces.join(''), code: Number(text.slice(0, end)) }
  }
}
