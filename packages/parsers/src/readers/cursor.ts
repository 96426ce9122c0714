import { nameStop, readName } from './names.ts'

/** A position in a text that readers advance. A reader that fails leaves it where it stopped. */
export class Cursor {
  readonly text: string
  at: number
  /** Readers stop here. */
  end: number
  /** Whether the last failure was an unterminated string. */
  openString = false
  /** A quote that is known not to occur from here on, so that later strings need not search for it; 0 if none. */
  missing = 0
  /** Whether strings in objects may contain unescaped quotes. */
  lenient = false
  /** Whether the end of such a string is ambiguous. */
  isAmbiguous = false

  constructor(text: string, at = 0, end = text.length) {
    this.text = text
    this.at = at
    this.end = end
  }

  code(): number {
    return this.at < this.end ? this.text.charCodeAt(this.at) : -1
  }

  /** Reads a name, optionally with dots, and returns its number. */
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
