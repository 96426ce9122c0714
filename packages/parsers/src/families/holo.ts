import type { Dialect } from '../dialect.ts'
import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { toolCalls } from '../grammars/tool-calls.ts'
import { followedBy } from '../intent.ts'
import { pairOf } from '../readers/points.ts'
import { qwen25 } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'
import { understandBrowser } from '../vocabulary/browser.ts'
import { plainWord } from '../vocabulary/vocabulary.ts'

/** Holo1 and 1.5 count pixels of the resized image, Holo2 and later thousandths. */
const dialect: Dialect = {
  ...thousandths,
  units: 'thousandths-or-pixels',
  resize: qwen25,
  clickAtPointer: false,
}

/** A navigation step `{note, thought, action: {…}}`, a tool call, or a place alone: `Click(x, y)`, `{x, y}`. */
const grammar: Grammar = {
  ...toolCalls(dialect),
  calls: true,
  understand: (verb, fields, dialect, space) => {
    const intents = understandBrowser(verb, fields, dialect, space)
    // Its schema says of this one that Enter follows what is written.
    if (plainWord(verb) !== 'writeelementabs' || intents === undefined) return intents
    return followedBy(intents, { kind: 'keys', keys: 'Return' })
  },
  understandObject: fields => {
    const bare = fields.names().every(name => name === 'x' || name === 'y')
    const at = bare ? pairOf(fields.get('x'), fields.get('y')) : undefined
    return at && [{ kind: 'tap', at, button: 1, count: 1 }]
  },
}

export const holo: Family = {
  about: 'Holo1, 1.5 and 2 of H Company: navigation objects, tool calls, or a click alone.',
  read: reading => {
    readText(reading, grammar)
    // The bare call is Holo1's, which knows no thousandths.
    return reading.text.trimStart().startsWith('Click(') ? { ...dialect, units: 'pixels' } : dialect
  },
}
