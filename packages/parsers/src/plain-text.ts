import type { Action, Parsed } from '@sandglass/protocol'
import { rulerFor } from './express/ruler.ts'
import { toAction } from './express/to-action.ts'
import type { Grammar } from './grammar.ts'
import { isList } from './intent.ts'
import { codeAt, nextLine, skipBlanks, startsName, trimEnd } from './readers/characters.ts'
import { labelEnd, readLabel } from './readers/labels.ts'
import { nameIn, nameStop, readName } from './readers/names.ts'
import { meaningOf } from './readers/operation.ts'
import { readPlainArguments } from './readers/plain-call.ts'
import { Fields } from './readers/value.ts'
import type { Screen, Space } from './screen.ts'

/**
 * Fast path for the most common form: a labelled thought, then a labelled call that is one action, and nothing after
 * it. Returns undefined for all other texts, which need the slower general reader.
 */
export function parsePlainText(
  text: string,
  grammar: Grammar,
  space: Space,
  screen: Screen | undefined,
): Parsed | undefined {
  const { labels } = grammar
  const end = text.length
  if (readLabel(text, 0, end, labels) !== 'thought') return undefined
  const thought = labelEnd
  let line = nextLine(text, thought, end)
  let kind = readLabel(text, line, end, labels)
  while (kind === undefined && line < end) {
    line = nextLine(text, labelEnd, end)
    kind = readLabel(text, line, end, labels)
  }
  if (kind !== 'action') return undefined
  const at = labelEnd
  const action = hasTag(text, at) ? undefined : readPlainAction(text, at, end, grammar, space, screen)
  if (action === undefined) return undefined
  const from = skipBlanks(text, thought, line)
  const thoughts = text.slice(from, trimEnd(text, from, line))
  return thoughts === '' ? { actions: [action] } : { actions: [action], thoughts }
}

function hasTag(text: string, end: number): boolean {
  const at = text.indexOf('<')
  return at >= 0 && at < end
}

/**
 * The action of a plain call that is the rest of the text. Questions to the user are excluded, because they produce
 * more than an action.
 */
function readPlainAction(
  text: string,
  at: number,
  end: number,
  grammar: Grammar,
  space: Space,
  screen: Screen | undefined,
): Action | undefined {
  const start = skipBlanks(text, at, end)
  if (!startsName(codeAt(text, start, end))) return undefined
  const number = readName(text, start, end, true)
  const bracket = nameStop
  if (codeAt(text, bracket, end) !== 40) return undefined
  const fields = new Fields()
  const stop = readPlainArguments(text, bracket + 1, end, fields)
  if (stop === 0 || skipBlanks(text, stop, end) < end) return undefined
  const intent = meaningOf(nameIn(text, start, bracket, number), fields, grammar, space)
  if (intent === undefined || isList(intent) || intent.kind === 'ask') return undefined
  return toAction(intent, space, rulerFor(grammar.dialect, intent, screen))
}
