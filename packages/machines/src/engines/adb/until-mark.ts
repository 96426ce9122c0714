import { Transform, type TransformCallback } from 'node:stream'

/**
 * Passes on what comes before a mark, and ends there: what others print after the program has ended is thrown away. Settles
 * `told` with the word after the mark, or with nothing where the stream ended without one.
 */
export class UntilMark extends Transform {
  readonly told: Promise<string | undefined>
  readonly #mark: Buffer
  readonly #said = Promise.withResolvers<string | undefined>()
  #held = Buffer.alloc(0)
  #isAfter = false

  constructor(mark: string) {
    super()
    this.#mark = Buffer.from(mark)
    this.told = this.#said.promise
    this.on('error', () => {})
    this.on('close', () => this.#said.resolve(undefined))
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#held = Buffer.concat([this.#held, chunk])
    if (!this.#isAfter) this.#pass()
    if (this.#isAfter) this.#listen()
    done()
  }

  override _flush(done: TransformCallback): void {
    if (!this.#isAfter) this.push(this.#held)
    this.#said.resolve(undefined)
    done()
  }

  #pass(): void {
    const at = this.#held.indexOf(this.#mark)
    this.#isAfter = at !== -1
    const until = this.#isAfter ? at : this.#held.length - this.#begun()
    if (until > 0) this.push(this.#held.subarray(0, until))
    this.#held = this.#held.subarray(this.#isAfter ? at + this.#mark.length : until)
  }

  /** How many bytes at the end may be the beginning of the mark, whose first byte is not in it again. */
  #begun(): number {
    const last = this.#held.lastIndexOf(this.#mark.subarray(0, 1))
    if (last === -1) return 0
    const tail = this.#held.subarray(last)
    return tail.equals(this.#mark.subarray(0, tail.length)) ? tail.length : 0
  }

  #listen(): void {
    const end = this.#held.indexOf('\n')
    if (end === -1) return
    this.#said.resolve(this.#held.subarray(0, end).toString().trim())
    this.#held = Buffer.alloc(0)
    this.push(null)
  }
}
