import { type Dialect, thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import { Operation } from '../piece.ts'
import { skipBlanks } from '../readers/characters.ts'
import { labelWords } from '../readers/labels.ts'
import { outline } from '../readers/outline.ts'
import { Fields } from '../readers/value.ts'
import type { Reading } from '../reading.ts'
import { understand } from '../vocabulary/vocabulary.ts'

const dialect: Dialect = { ...thousandths, waitMs: 1000 }
const layout = { labels: labelWords({}), tags: new Map([['think*', 'thought' as const]]) }

const names = new Set(
  'explain action point point1 point2 value key summary return cot text app is_keyboard'.split(' '),
)

const longestName = Math.max(...[...names].map(name => name.length))

/** Fields for whoever reads along. */
const told = new Set(['explain', 'cot', 'summary'])

/** `explain:…⇥action:CLICK⇥point:x,y⇥summary:…`, the fields in any order. */
export const stepGui: Family = {
  about: 'Step-GUI and GELab-Zero: fields parted by tabs, such as action:CLICK and point:x,y.',
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

function readFields(reading: Reading, blank: number, start: number, end: number): void {
  const { text } = reading
  const found = split(text, blank, start, end)
  reading.work += end - start
  reading.add('unknown', start, found[0]?.start ?? end)
  const fields = new Fields()
  for (const { name, value, end } of found)
    if (!told.has(name)) fields.add(name, text.slice(value, end).trim())
  const action = fields.get('action')
  const intents = typeof action === 'string' ? understand(action, fields, dialect) : undefined
  let acted = false
  for (const { name, start, value, end } of found) {
    if (told.has(name)) {
      reading.mark(start, value)
      reading.add(name === 'summary' ? 'memory' : 'thought', value, end)
    } else if (intents !== undefined && !acted) {
      acted = true
      reading.act(start, end, new Operation(intents, start, end))
    } else reading.add(intents === undefined ? 'unknown' : 'action', start, end)
  }
}

/**
 * A field starts at a tab or a line with a known name and a colon, and lasts until the next; where the
 * model left out its tabs, blanks part the fields.
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
