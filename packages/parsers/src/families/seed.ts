import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { numbersIn } from '../readers/points.ts'
import { readText } from '../readers/text.ts'
import { Fields } from '../readers/value.ts'
import type { Reading } from '../reading.ts'
import { meaningOf, understand } from '../vocabulary/vocabulary.ts'
import { grammar as uiTars } from './ui-tars.ts'

/** UI-TARS's lines, or tool calls as tags or JSON; a plain answer ends the task. */
const grammar: Grammar = {
  ...uiTars,
  dialect: thousandths,
  tags: new Map([
    ['think*', 'thought'],
    ['thought', 'thought'],
    ['answer', 'answer'],
  ]),
  objects: true,
  functions: true,
}

export const seed: Family = {
  about: 'Doubao Seed 1.5 to 1.8: Action lines, seed:tool_call tags or JSON, thinking tags of any name.',
  read: reading => {
    const dialect = readText(reading, grammar)
    for (const piece of reading.pieces.splice(0)) {
      if (piece.kind !== 'free' || !readStripped(reading, piece.start, piece.end)) reading.pieces.push(piece)
    }
    return dialect
  },
}

/** A call whose tags lost their `<`: `click>point>point>12 34`. */
function readStripped(reading: Reading, start: number, end: number): boolean {
  if (end - start > 300) return false
  const parts = reading.text.slice(start, end).split('>')
  const verb = parts[0]?.trim() ?? ''
  const last = parts.at(-1)?.trim() ?? ''
  const field = parts[1]?.trim() ?? ''
  if (parts.length < 3 || meaningOf(verb) === undefined) return false
  const fields = new Fields()
  fields.add(field, numbersIn(last)?.length ? last : (parts[2]?.trim() ?? ''))
  const intents = understand(verb, fields, grammar.dialect)
  if (intents === undefined) return false
  reading.act(start, end, [{ intents, start, end }])
  return true
}
