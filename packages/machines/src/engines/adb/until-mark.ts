import { Transform, type TransformCallback } from 'node:stream'

/**
 * Passes on output up to a mark and ends there, so that what other processes print after the program has ended is
 * discarded. `trailer` resolves with the word after the mark, or with undefined if the stream ends without one.
 */
export class UntilMark extends Transform {
  readonly trailer: Promise<string | undefined>
  readonly #mark: Buffer
  readonly #trailer = Promise.withResolvers<string | undefined>()
  #buffer = Buffer.alloc(0)
  #isAfter = false

  constructor(mark: string) {
    super()
    this.#mark = Buffer.from(mark)
    this.trailer = this.#trailer.promise
    this.on('error', () => {})
    this.on('close', () => this.#trailer.resolve(undefined))
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk])
    if (!this.#isAfter) this.#pass()
    if (this.#isAfter) this.#readTrailer()
    done()
  }

  override _flush(done: TransformCallback): void {
    if (!this.#isAfter) this.push(this.#buffer)
    this.#trailer.resolve(undefined)
    done()
  }

  #pass(): void {
    const at = this.#buffer.indexOf(this.#mark)
    this.#isAfter = at !== -1
    const until = this.#isAfter ? at : this.#buffer.length - this.#partialMark()
    if (until > 0) this.push(this.#buffer.subarray(0, until))
    this.#buffer = this.#buffer.subarray(this.#isAfter ? at + this.#mark.length : until)
  }

  /** How many bytes at the end may be the start of the mark. The first byte of the mark occurs in it only once. */
  #partialMark(): number {
    const last = this.#buffer.lastIndexOf(this.#mark.subarray(0, 1))
    if (last === -1) return 0
    const tail = this.#buffer.subarray(last)
    return tail.equals(this.#mark.subarray(0, tail.length)) ? tail.length : 0
  }

  #readTrailer(): void {
    const end = this.#buffer.indexOf('\n')
    if (end === -1) return
    this.#trailer.resolve(this.#buffer.subarray(0, end).toString().trim())
    this.#buffer = Buffer.alloc(0)
    this.push(null)
  }
}
