import { Writable } from 'node:stream'

const endOfFile = Buffer.of(4)
/** A terminal that has printed something and then nothing for this long is waiting for input. */
const quietMs = 100
/** A program that has not ended by then does not treat the character as end of file. */
const maxEofs = 20

/**
 * Input for a terminal, in which only the end-of-file character ends the input. After a partial line, the character
 * only flushes the line, so it is sent twice. If it arrives while a shell with line editing is busy, it is lost, so
 * it is sent again after the shell has printed its prompt.
 */
export class TerminalInput {
  readonly stdin: Writable
  readonly #type: (keys: Uint8Array, done?: (error?: Error | null) => void) => void
  #isLineBegun = false
  #eofs = 0
  #quiet: NodeJS.Timeout | undefined

  constructor(type: (keys: Uint8Array, done?: (error?: Error | null) => void) => void) {
    this.#type = type
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#isLineBegun = chunk.length > 0 && chunk.at(-1) !== 10
        type(chunk, done)
      },
      final: done => this.#sendEof(done),
    }).on('error', () => {})
  }

  /** Must be called when the terminal has printed something. */
  onOutput(): void {
    if (this.#eofs === 0 || this.#eofs === maxEofs) return
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#sendEof(), quietMs)
  }

  close(): void {
    this.#eofs = maxEofs
    clearTimeout(this.#quiet)
  }

  #sendEof(done?: (error?: Error | null) => void): void {
    this.#eofs++
    this.#type(this.#isLineBegun ? Buffer.concat([endOfFile, endOfFile]) : endOfFile, done)
    this.#isLineBegun = false
  }
}
