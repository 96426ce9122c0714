import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { Operation } from '../piece.ts'
import { readText } from '../readers/text.ts'
import { Fields } from '../readers/value.ts'
import type { Reading } from '../reading.ts'
import { meaningOf, understand } from '../vocabulary/vocabulary.ts'
import { grammar as uiTars } from './ui-tars.ts'

/** Lines as UI-TARS writes them, or tool calls as tags or JSON. A plain answer ends the task. */
const grammar: Grammar = {
  ...uiTars,
  dialect: { ...thousandths, pressHolds: true },
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
  plain: grammar,
  read: reading => {
    const dialect = readText(reading, grammar)
    for (const piece of reading.takePieces()) {
      if (piece.kind !== 'free' || !readStripped(reading, piece.start, piece.end)) reading.keep(piece)
    }
    return dialect
  },
}

const maxStrippedLength = 300

/** Reads a call whose tags lost their `<`, such as `click>point>point>12 34`: a name and a value per parameter. */
function readStripped(reading: Reading, start: number, end: number): boolean {
  if (end - start > maxStrippedLength) return false
  const [verb = '', ...parts] = reading.text
    .slice(start, end)
    .split('>')
    .map(part => part.trim())
  if (parts.length < 2 || meaningOf(verb) === undefined) return false
  const fields = new Fields()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const name = parts[at] ?? ''
    // Coordinates have an additional tag around them.
    if (parts[at + 1] === 'point' || parts[at + 1] === 'bbox') at++
    fields.add(name, parts[at + 1] ?? '')
  }
  const intents = understand(verb, fields, grammar.dialect)
  if (intents === undefined) return false
  reading.act(start, end, new Operation(intents, start, end))
  return true
}
