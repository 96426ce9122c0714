import { keysymOf } from '@sandglass/wire/x11'
import type { TypeOptions } from '../../contract/input.ts'

/** A key to type, and whether Shift is held explicitly. */
export interface TypedKey {
  readonly keysym: number
  readonly withShift: boolean
}

const tab = 0xff09
const enter = 0xff0d

/** Yields the keys that type a text, one per character. CR LF is one line break. */
export function* keysOfText(text: string, lineBreak: TypeOptions['lineBreak']): Generator<TypedKey> {
  for (const character of text.replaceAll(/\r\n?/g, '\n')) {
    if (character === '\n') yield { keysym: enter, withShift: lineBreak === 'Shift+Enter' }
    else if (character === '\t') yield { keysym: tab, withShift: false }
    else yield { keysym: keysymOf(character.codePointAt(0) ?? 0), withShift: false }
  }
}
