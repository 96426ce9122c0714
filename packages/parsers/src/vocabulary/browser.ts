import type { Grammar } from '../grammar.ts'
import { key, plain } from './system.ts'
import { plainWord, understand } from './vocabulary.ts'

const chords = new Map([
  ['goback', 'alt+Left'],
  ['goforward', 'alt+Right'],
  ['refresh', 'F5'],
  ['reload', 'F5'],
])

/** The vocabulary of models that drive a browser; on a desktop, keyboard shortcuts do the same. */
export const understandBrowser: Grammar['understand'] = (verb, fields, dialect, space) => {
  const word = plainWord(verb)
  const chord = chords.get(word)
  if (chord === undefined) return understand(verb, fields, dialect)
  if (space === 'computer') return key(chord)(fields, dialect)
  return word === 'goback' ? plain('back')(fields, dialect) : undefined
}
