import type { Grammar } from '../grammar.ts'
import type { Reading } from '../reading.ts'
import { codeAt, nextLine, skipBlanks, startsName } from './characters.ts'
import { labelEnd, readLabel } from './labels.ts'
import { nameIn, nameStop, readName } from './names.ts'
import { named } from './operation.ts'
import { readPlainArguments } from './plain-call.ts'
import { Fields } from './value.ts'

/**
 * Reads a text as nearly all are written: a thought after its label, then after its own one plain call, with which the
 * text ends. Answers whether it is so; nothing is read of whatever is written otherwise, for which the outline and
 * the finder take more care, and more time.
 */
export function readPlainText(reading: Reading, grammar: Grammar): boolean {
  const { text } = reading
  const { labels } = grammar
  const end = text.length
  if (!grammar.calls || grammar.lineToken !== undefined) return false
  if (readLabel(text, 0, end, labels) !== 'thought') return false
  const thought = labelEnd
  let line = nextLine(text, thought, end)
  let kind = readLabel(text, line, end, labels)
  while (kind === undefined && line < end) {
    line = nextLine(text, labelEnd, end)
    kind = readLabel(text, line, end, labels)
  }
  const action = labelEnd
  if (kind !== 'action' || hasTag(text, action)) return false
  const start = skipBlanks(text, action, end)
  if (!startsName(codeAt(text, start, end))) return false
  const number = readName(text, start, end, true)
  const bracket = nameStop
  const verb = nameIn(text, start, bracket, number)
  const fields = readPlainCall(text, start, bracket, end)
  if (fields === undefined) return false
  reading.work += end
  reading.mark(0, thought)
  reading.add('thought', thought, line)
  reading.mark(line, action)
  reading.act(start, fields.end, named(verb, fields, grammar, reading.space))
  return true
}

function hasTag(text: string, end: number): boolean {
  const at = text.indexOf('<')
  return at >= 0 && at < end
}

/** The arguments of a call, if they are plain and all there is from the bracket on. */
function readPlainCall(text: string, start: number, bracket: number, end: number): Fields | undefined {
  if (codeAt(text, bracket, end) !== 40) return undefined
  const fields = new Fields()
  fields.start = start
  fields.end = readPlainArguments(text, bracket + 1, end, fields)
  return fields.end > 0 && skipBlanks(text, fields.end, end) === end ? fields : undefined
}
