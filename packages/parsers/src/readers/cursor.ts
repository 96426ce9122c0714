import { nameStop, readName } from './names.ts'

/** A place in a text that readers move forward. A reader that fails leaves it where it gave up. */
export class Cursor {
  readonly text: string
  at: number
  /** Readers see nothing from here on. */
  end: number
  /** Whether the last failure was a string without its closing quote. */
  openString = false
  /** The quote that no strict string found from here on; no later one will, and 0 where none was missed. */
  missing = 0
  /** Whether the strings of objects may hold quotes that should have been escaped. */
  lenient = false
  /** Whether nobody can tell where such a string ends. */
  inDoubt = false

  constructor(text: string, at = 0, end = text.length) {
    this.text = text
    this.at = at
    this.end = end
  }

  code(): number {
    return this.at < this.end ? this.text.charCodeAt(this.at) : -1
  }

  /** Reads a name, which dots may join to further ones, and answers its number. */
  readName(dotted: boolean): number {
    const number = readName(this.text, this.at, this.end, dotted)
    this.at = nameStop
    return number
  }

  skipBlanks(): number {
    const { text, end } = this
    let at = this.at
    let code = -1
    while (at < end) {
      code = text.charCodeAt(at)
      if (code > 32 && code !== 0xa0 && code !== 0x3000 && code !== 0xfeff) break
      at++
    }
    this.at = at
    return at < end ? code : -1
  }
}
