import { type Dialect, thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import { jsonGrammar } from '../grammars/json.ts'
import { type Kind, Operation } from '../piece.ts'
import { skipBlanks, trimEnd } from '../readers/characters.ts'
import { Finder } from '../readers/find.ts'
import { labelWords } from '../readers/labels.ts'
import { markupEnd } from '../readers/markup.ts'
import { outline } from '../readers/outline.ts'
import { Fields, flagOf, oneOf, textOf } from '../readers/value.ts'
import type { Reading } from '../reading.ts'
import { understand } from '../vocabulary/vocabulary.ts'

const dialect: Dialect = { ...thousandths, waitMs: 1000 }
const objects = jsonGrammar(dialect)
/** The tag is sometimes misspelt. */
const layout = {
  labels: labelWords({}),
  tags: new Map([
    ['think*', 'thought' as const],
    ['tink', 'thought' as const],
  ]),
}

const names = new Set(
  (
    'explain action point point1 point2 value key summary return cot text app direction duration ' +
    'is_keyboard keyboard_exists verify note'
  ).split(' '),
)

const longestName = Math.max(...[...names].map(name => name.length))

/** Fields that are commentary, and their kind. */
const commentary = new Map<string, Kind>([
  ['explain', 'thought'],
  ['cot', 'thought'],
  ['verify', 'thought'],
  ['summary', 'memory'],
  ['note', 'memory'],
])

/** `explain:…⇥action:CLICK⇥point:x,y⇥summary:…`, with the fields in any order. Its API returns objects. */
export const stepGui: Family = {
  about: 'Step-GUI and GELab-Zero: fields separated by tabs, such as action:CLICK and point:x,y.',
  read: reading => {
    const blank = reading.text.includes('\t') ? 9 : 32
    for (let region = outline(reading, layout).first; region !== undefined; region = region.next) {
      const { kind, start, end } = region
      if (kind === 'free') readFields(reading, blank, start, end)
      else reading.add('thought', start, end)
    }
    return dialect
  },
}

interface Field {
  readonly name: string
  readonly start: number
  readonly value: number
  end: number
}

function readFields(reading: Reading, blank: number, from: number, to: number): void {
  const { text } = reading
  const { start, end } = withoutFence(reading, from, to)
  const found = split(text, blank, start, end)
  const [first] = found
  reading.work += end - start
  if (first === undefined) {
    new Finder(reading, objects).find(start, end, 'unknown', 'nowhere')
    return
  }
  reading.add('unknown', start, first.start)
  const fields = argumentsIn(text, found)
  const action = fields.get('action')
  const intents = typeof action === 'string' ? understand(action, fields, dialect) : undefined
  let acted = false
  for (const { name, start, value, end } of found) {
    const kind = commentary.get(name)
    if (kind !== undefined) {
      reading.mark(start, value)
      reading.add(kind, value, end)
    } else if (intents !== undefined && !acted) {
      acted = true
      reading.act(start, end, new Operation(intents, start, end))
    } else reading.add(intents === undefined ? 'unknown' : 'action', start, end)
  }
}

/** The span without the fence around all of it. */
function withoutFence(reading: Reading, from: number, to: number): { start: number; end: number } {
  const { text } = reading
  const start = skipBlanks(text, from, to)
  const end = trimEnd(text, start, to)
  const inside = markupEnd(text, start, end)
  const close = end - 3
  if (text.charCodeAt(start) !== 96 || inside === 0 || close < inside || !text.startsWith('```', close))
    return { start, end }
  reading.mark(start, inside)
  reading.mark(close, end)
  return { start: inside, end: close }
}

const keyboardNames = oneOf('is_keyboard keyboard_exists')

/**
 * The arguments of the action. If a keyboard is already shown, typing goes to its field and the point is not tapped.
 */
function argumentsIn(text: string, found: readonly Field[]): Fields {
  const fields = new Fields()
  for (const { name, value, end } of found)
    if (!commentary.has(name)) fields.add(name, text.slice(value, end).trim())
  if (flagOf(fields.any(keyboardNames)) !== true || textOf(fields.get('action'))?.toUpperCase() !== 'TYPE')
    return fields
  const typing = new Fields()
  for (let field = fields.first; field !== undefined; field = field.next)
    if (field.name !== 'point') typing.add(field.name, field.value)
  return typing
}

/**
 * A field starts after a tab or newline with a known name and a colon, and ends at the next. If the model omitted the
 * tabs, spaces separate the fields.
 */
function split(text: string, blank: number, start: number, end: number): Field[] {
  const found: Field[] = []
  let at = start
  while (at < end) {
    const from = skipBlanks(text, at, end)
    const value = fieldStart(text, from, end)
    if (value > 0) {
      const before = found.at(-1)
      if (before !== undefined) before.end = from
      found.push({ name: text.slice(from, value - 1).toLowerCase(), start: from, value, end })
    }
    at = from
    while (at < end && text.charCodeAt(at) !== blank && text.charCodeAt(at) !== 10) at++
    at++
  }
  return found
}

function fieldStart(text: string, at: number, end: number): number {
  const limit = Math.min(end, at + longestName + 1)
  for (let stop = at; stop < limit; stop++) {
    const code = text.charCodeAt(stop)
    if (code === 58 || code === 0xff1a) return names.has(text.slice(at, stop).toLowerCase()) ? stop + 1 : 0
  }
  return 0
}
