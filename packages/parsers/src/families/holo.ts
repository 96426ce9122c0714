import type { Dialect } from '../dialect.ts'
import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { toolCalls } from '../grammars/tool-calls.ts'
import { followedBy, type Intent, type Intents } from '../intent.ts'
import { pressesOf } from '../readers/keys.ts'
import { pairOf } from '../readers/points.ts'
import { qwen25 } from '../readers/resize.ts'
import { readText } from '../readers/text.ts'
import type { Fields, Value } from '../readers/value.ts'
import { understandBrowser } from '../vocabulary/browser.ts'
import { plainWord } from '../vocabulary/vocabulary.ts'

/** Holo1 and 1.5 use pixels of the resized image, Holo2 and later thousandths. */
const dialect: Dialect = {
  ...thousandths,
  units: 'thousandths-or-pixels',
  resize: qwen25,
  waitMs: 2000,
  clickAtPointer: false,
}

/** The suffix that distinguishes desktop tools from browser tools. */
const desktop = '_desktop'

/** A navigation step `{note, thought, action: {…}}`, a tool call, or a point alone: `Click(x, y)`, `{x, y}`. */
const grammar: Grammar = {
  ...toolCalls(dialect),
  calls: true,
  understand: (tool, fields, dialect, space) => {
    if (tool === 'scroll_desktop') fields = fields.or('scroll_size', 10)
    const verb = tool.endsWith(desktop) ? tool.slice(0, -desktop.length) : tool
    if (verb === 'hold_and_tap_key') return holdAndTap(fields)
    const intents = understandBrowser(verb, fields, dialect, space)
    // According to its schema, Enter follows the text of this tool.
    if (plainWord(verb) !== 'writeelementabs' || intents === undefined) return intents
    return followedBy(intents, { kind: 'keys', keys: 'Return' })
  },
  understandObject: fields => {
    const bare = fields.names().every(name => name === 'x' || name === 'y')
    const at = bare ? pairOf(fields.get('x'), fields.get('y')) : undefined
    return at && [{ kind: 'tap', at, button: 1, count: 1 }]
  },
}

/** Presses keys in turn while others are held. */
function holdAndTap(fields: Fields): Intents | undefined {
  const held = pressesOf(fields.get('hold_keys'), 'chord')
  const taps = listOf(fields.get('tap_keys')).map(key => pressesOf(key, 'chord'))
  const [key] = held ?? []
  if (key === undefined || held?.length !== 1 || taps.length === 0) return undefined
  const intents: Intent[] = []
  for (const presses of taps) {
    if (presses === undefined) return undefined
    for (const keys of presses) intents.push({ kind: 'keys', keys })
  }
  const [only] = intents
  if (only?.kind === 'keys' && intents.length === 1) return { kind: 'keys', keys: `${key}+${only.keys}` }
  return [{ kind: 'keyDown', key }, ...intents, { kind: 'keyUp', key }]
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : []
}

export const holo: Family = {
  about: 'Holo1 to 3 of H Company: navigation objects, tool calls, or a single click.',
  read: reading => {
    readText(reading, grammar)
    // The bare call is only used by Holo1, which does not use thousandths.
    return reading.text.trimStart().startsWith('Click(') ? { ...dialect, units: 'pixels' } : dialect
  },
}
