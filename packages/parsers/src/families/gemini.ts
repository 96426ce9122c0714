import type { Dialect } from '../dialect.ts'
import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { jsonGrammar } from '../grammars/json.ts'
import { readText } from '../readers/text.ts'
import type { Value } from '../readers/value.ts'
import { understandBrowser } from '../vocabulary/browser.ts'
import { isWord, plainWord } from '../vocabulary/vocabulary.ts'

const dialect: Dialect = { ...thousandths, waitMs: 1000, newLineIsEnter: 'always' }

/** The documented default of an argument, and the shared verb of a function that only Gemini has. */
const defaults = new Map<string, readonly [name: string, value: Value, verb?: string]>([
  ['typetextat', ['clear_before_typing', true, 'type']],
  ['wait5seconds', ['seconds', 5, 'wait']],
  ['longpress', ['seconds', 2]],
  ['scroll', ['magnitude_in_pixels', 300]],
  ['scrollat', ['magnitude_in_pixels', 800]],
])

/** Function calls as JSON or as code. */
const json = jsonGrammar(dialect, (verb, fields, dialect, space) => {
  const known = defaults.get(plainWord(verb))
  if (known === undefined) return understandBrowser(verb, fields, dialect, space)
  const [name, value, shared = verb] = known
  return understandBrowser(shared, fields.or(name, value), dialect, space)
})

const own = new Set(['typetextat', 'wait5seconds', 'goforward'])

const grammar: Grammar = { ...json, calls: true, knows: verb => isWord(verb) || own.has(plainWord(verb)) }

export const gemini: Family = {
  about: 'Gemini computer use: function calls such as click_at, in thousandths.',
  read: reading => readText(reading, grammar),
}
