import type { Dialect } from '../dialect.ts'
import { followedBy, type Intent, type Intents } from '../intent.ts'
import { keyOf, pressesOf } from '../readers/keys.ts'
import { type Fields, flagOf, numberOf, oneOf, textOf, type Value } from '../readers/value.ts'
import { timeIn } from './amounts.ts'
import { placeIn } from './places.ts'
import type { Meaning } from './pointer.ts'

const contentNames = oneOf('content text value input message string argument input_text inputtext')
const clearNames = oneOf('clear clear_before_typing override overwrite')
const pressEnterNames = oneOf('press_enter enter submit')
const repeatNames = oneOf('repeat repeat_count presses')
const keyNames = oneOf(
  'key keys text content hotkey value key_combination combo button keyname keyboard_key keyboardkey',
)

/** The contract allows a chord to be held this long; longer goes by key:down and key:up. */
const longestHold = 5000

export function typed(said: string, dialect: Dialect): Intent {
  // Where a new line at the end is the Enter key, so is one that is written out.
  const submits = dialect.newLineIsEnter === 'at the end' && said.endsWith('\\n')
  const content = submits ? `${said.slice(0, -2)}\n` : said
  const newLineIsEnter = dialect.newLineIsEnter === 'always' ? content.includes('\n') : content.endsWith('\n')
  return { kind: 'type', content, newLineIsEnter }
}

function contentIn(fields: Fields): string | undefined {
  return textOf(fields.any(contentNames))
}

/** Types. A place given with it is clicked first; `clear` and `press_enter` are done around it. */
export const type: Meaning = (fields, dialect) => {
  const content = contentIn(fields)
  const at = placeIn(fields)
  const clear = flagOf(fields.any(clearNames))
  if (content === undefined || (content === '' && !clear) || at === 'misplaced') return undefined
  const enter = flagOf(fields.any(pressEnterNames))
  if (at === undefined && !clear && !enter) return typed(content, dialect)
  const intents: Intent[] = at === undefined ? [] : [{ kind: 'tap', at, button: 1, count: 1 }]
  if (clear) intents.push({ kind: 'keys', keys: 'ctrl+a' })
  intents.push(content === '' ? { kind: 'keys', keys: 'BackSpace' } : typed(content, dialect))
  if (enter && !content.endsWith('\n')) intents.push({ kind: 'keys', keys: 'Return' })
  return intents
}

/** Types and submits; a place given with it is tapped first. */
export const typeAndEnter: Meaning = (fields, dialect) => {
  const intents = type(fields, dialect)
  return intents && followedBy(intents, { kind: 'keys', keys: 'Return' })
}

function keysIn(fields: Fields): Value | undefined {
  return fields.any(keyNames)
}

/** Presses keys together, or one after the other where that is what the keys mean, as often as asked. */
export const press: Meaning = (fields, dialect) => {
  const presses = pressesOf(keysIn(fields), dialect.blankBetweenKeys)
  const times = numberOf(fields.any(repeatNames)) ?? 1
  const [keys] = presses ?? []
  if (keys !== undefined && presses?.length === 1 && times === 1) return { kind: 'keys', keys }
  return presses && pressed(presses, times)
}

const maxTimes = 100

/** Presses in turn, all of them so many times; undefined for a number that nobody means. */
export function pressed(presses: readonly string[], times: number): Intents | undefined {
  if (!(times >= 1 && times <= maxTimes)) return undefined
  const intents: Intent[] = []
  for (let time = 0; time < Math.round(times); time++)
    for (const keys of presses) intents.push({ kind: 'keys', keys })
  return intents
}

const held: ReadonlySet<string> = new Set(['ctrl', 'shift', 'alt'])

/** Presses one key; a model that releases keys by a word of its own means one that it goes on to hold. */
export const pressOne: Meaning = (fields, dialect) => {
  const intents = press(fields, dialect)
  const holds =
    dialect.pressHolds && intents && 'kind' in intents && intents.kind === 'keys' && held.has(intents.keys)
  return holds ? { kind: 'keyDown', key: intents.keys } : intents
}

export const hold: Meaning = (fields, dialect) => {
  const presses = pressesOf(keysIn(fields), dialect.blankBetweenKeys)
  const keys = presses?.length === 1 ? presses[0] : undefined
  const duration = timeIn(fields) ?? 1000
  if (keys === undefined) return undefined
  if (duration >= 1 && duration <= longestHold) return { kind: 'keys', keys, duration }
  return [
    { kind: 'keyDown', key: keys },
    { kind: 'wait', duration },
    { kind: 'keyUp', key: keys },
  ]
}

export function keyChange(kind: 'keyDown' | 'keyUp'): Meaning {
  return fields => {
    const keys = keysIn(fields)
    const name = textOf(Array.isArray(keys) && keys.length === 1 ? keys[0] : keys)
    const key = name === undefined ? undefined : keyOf(name.length > 1 ? name.trim() : name)
    return key === undefined ? undefined : { kind, key }
  }
}
