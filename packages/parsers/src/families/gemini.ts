import type { Dialect } from '../dialect.ts'
import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { jsonGrammar } from '../grammars/json.ts'
import { readText } from '../readers/text.ts'
import { Fields, flagOf } from '../readers/value.ts'
import { understandBrowser } from '../vocabulary/browser.ts'
import { isWord, plainWord } from '../vocabulary/vocabulary.ts'

const dialect: Dialect = { ...thousandths, newLineIsEnter: 'always' }

/** Function calls, as JSON or as they read in code; `type_text_at` clears the field first unless told not to. */
const json = jsonGrammar(dialect, (verb, fields, dialect, space) => {
  const word = plainWord(verb)
  if (word === 'wait5seconds') return [{ kind: 'wait', duration: 5000 }]
  if (word !== 'typetextat') return understandBrowser(verb, fields, dialect, space)
  const typing = new Fields()
  for (let field = fields.first; field !== undefined; field = field.next) typing.add(field.name, field.value)
  if (flagOf(fields.get('clear_before_typing')) === undefined) typing.add('clear', true)
  return understandBrowser('type', typing, dialect, space)
})

const own = new Set(['typetextat', 'wait5seconds', 'goforward'])

const grammar: Grammar = { ...json, calls: true, knows: verb => isWord(verb) || own.has(plainWord(verb)) }

export const gemini: Family = {
  about: 'Gemini computer use: function calls such as click_at, in thousandths.',
  read: reading => readText(reading, grammar),
}
