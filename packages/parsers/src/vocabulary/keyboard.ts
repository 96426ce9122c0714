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

/** The longest hold of a chord in the contract; longer ones use key:down and key:up. */
const maxHoldMs = 5000

export function typed(said: string, dialect: Dialect): Intent {
  // If a newline at the end is the Enter key, so is one written as \n.
  const submits = dialect.newLineIsEnter === 'at the end' && said.endsWith('\\n')
  const content = submits ? `${said.slice(0, -2)}\n` : said
  const newLineIsEnter = dialect.newLineIsEnter === 'always' ? content.includes('\n') : content.endsWith('\n')
  return { kind: 'type', content, newLineIsEnter }
}

function contentIn(fields: Fields): string | undefined {
  return textOf(fields.any(contentNames))
}

/** Types text. A given point is clicked first; `clear` and `press_enter` are applied around it. */
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

/** Types and submits; a given point is tapped first. */
export const typeAndEnter: Meaning = (fields, dialect) => {
  const intents = type(fields, dialect)
  return intents && followedBy(intents, { kind: 'keys', keys: 'Return' })
}

function keysIn(fields: Fields): Value | undefined {
  return fields.any(keyNames)
}

/** Presses keys together, or in turn if the keys mean that, as often as requested. */
export const press: Meaning = (fields, dialect) => {
  const presses = pressesOf(keysIn(fields), dialect.blankBetweenKeys)
  const times = numberOf(fields.any(repeatNames)) ?? 1
  const [keys] = presses ?? []
  if (keys !== undefined && presses?.length === 1 && times === 1) return { kind: 'keys', keys }
  return presses && pressed(presses, times)
}

const maxRepeats = 100

/** Repeats presses; undefined for an implausible number. */
export function pressed(presses: readonly string[], times: number): Intents | undefined {
  if (!(times >= 1 && times <= maxRepeats)) return undefined
  const intents: Intent[] = []
  for (let time = 0; time < Math.round(times); time++)
    for (const keys of presses) intents.push({ kind: 'keys', keys })
  return intents
}

const held: ReadonlySet<string> = new Set(['ctrl', 'shift', 'alt'])

/** Presses one key. For models that have a separate verb to release keys, a modifier alone is held. */
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
  if (duration >= 1 && duration <= maxHoldMs) return { kind: 'keys', keys, duration }
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
