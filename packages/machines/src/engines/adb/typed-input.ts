import { Writable } from 'node:stream'

const endOfFile = Buffer.of(4)
/** A terminal that has printed something and then nothing for so long waits for input. */
const silenceMs = 100
/** Whoever does not end then takes the character for something else. */
const maxTold = 20

/**
 * What is typed into a terminal, which knows no end but its end-of-file character. After half a line that only sends off what
 * was typed. And one that came while the shell was busy is lost where that then edits lines itself, so it is told again when
 * the shell has printed its prompt.
 */
export class TypedInput {
  readonly stdin: Writable
  readonly #type: (keys: Uint8Array, done?: (error?: Error | null) => void) => void
  #isLineBegun = false
  #told = 0
  #silence: NodeJS.Timeout | undefined

  constructor(type: (keys: Uint8Array, done?: (error?: Error | null) => void) => void) {
    this.#type = type
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#isLineBegun = chunk.length > 0 && chunk.at(-1) !== 10
        type(chunk, done)
      },
      final: done => this.#tell(done),
    }).on('error', () => {})
  }

  /** The terminal has printed something. */
  heard(): void {
    if (this.#told === 0 || this.#told === maxTold) return
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#tell(), silenceMs)
  }

  close(): void {
    this.#told = maxTold
    clearTimeout(this.#silence)
  }

  #tell(done?: (error?: Error | null) => void): void {
    this.#told++
    this.#type(this.#isLineBegun ? Buffer.concat([endOfFile, endOfFile]) : endOfFile, done)
    this.#isLineBegun = false
  }
}
