import type { Grammar } from '../grammar.ts'
import type { Reading } from '../reading.ts'
import { codeAt, nextLine, skipBlanks, startsName } from './characters.ts'
import { labelEnd, readLabel } from './labels.ts'
import { nameIn, nameStop, readName } from './names.ts'
import { operationOf } from './operation.ts'
import { readPlainArguments } from './plain-call.ts'
import { Call } from './value.ts'

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
  const call = readPlainCall(text, action, end)
  if (call === undefined) return false
  const { fields, name } = call
  reading.work += end
  reading.mark(0, thought)
  reading.add('thought', thought, line)
  reading.mark(line, action)
  reading.act(fields.start, fields.end, operationOf(call, name, grammar, reading.space))
  return true
}

function hasTag(text: string, end: number): boolean {
  const at = text.indexOf('<')
  return at >= 0 && at < end
}

/** The plain call that is all there is from `at` on. */
function readPlainCall(text: string, at: number, end: number): Call | undefined {
  const start = skipBlanks(text, at, end)
  if (!startsName(codeAt(text, start, end))) return undefined
  const number = readName(text, start, end, true)
  const bracket = nameStop
  if (codeAt(text, bracket, end) !== 40) return undefined
  const call = new Call(nameIn(text, start, bracket, number), start)
  const stop = readPlainArguments(text, bracket + 1, end, call.fields)
  call.fields.end = stop
  return stop > 0 && skipBlanks(text, stop, end) === end ? call : undefined
}
