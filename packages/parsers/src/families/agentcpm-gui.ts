import { thousandths } from '../dialect.ts'
import type { Family } from '../family.ts'
import { jsonGrammar } from '../grammars/json.ts'
import type { Intent } from '../intent.ts'
import { pointOf } from '../readers/points.ts'
import { readText } from '../readers/text.ts'
import type { Fields } from '../readers/value.ts'
import { directionOf, milliseconds } from '../vocabulary/amounts.ts'
import { typed } from '../vocabulary/keyboard.ts'

/** Android treats a touch as a long press after half a second. */
const longPressMs = 500

const presses: Readonly<Record<string, Intent | undefined>> = {
  HOME: { kind: 'home' },
  BACK: { kind: 'back' },
  ENTER: { kind: 'keys', keys: 'Return' },
}

/** Clears a field: selects all of its text and removes it. */
const clearField: Intent[] = [
  { kind: 'keys', keys: 'ctrl+a' },
  { kind: 'keys', keys: 'BackSpace' },
]

const endings: Readonly<Record<string, Intent | undefined>> = {
  start: undefined,
  continue: undefined,
  finish: { kind: 'finished' },
  satisfied: { kind: 'finished' },
  impossible: { kind: 'failed' },
  interrupt: { kind: 'failed' },
  need_feedback: { kind: 'ask' },
}

const own = ['POINT', 'PRESS', 'TYPE', 'CLEAR', 'STATUS', 'duration', 'to']

/** Reads one operation with its duration, then the status of the task; the published schema allows nothing else. */
function understandObject(fields: Fields): Intent[] | undefined {
  if (!fields.names().some(name => own.includes(name))) return undefined
  const status = fields.get('STATUS') ?? 'continue'
  const time = fields.get('duration')
  if (time !== undefined && (typeof time !== 'number' || time < 0)) return []
  const done = act(fields, time)
  if (done === undefined || typeof status !== 'string') return []
  if (!Object.hasOwn(endings, status)) return []
  const ending = endings[status]
  return ending === undefined ? done : [...done, ending]
}

function act(fields: Fields, time: number | undefined): Intent[] | undefined {
  const given = ['POINT', 'PRESS', 'TYPE', 'CLEAR'].filter(name => fields.get(name) !== undefined)
  if (given.length > 1) return undefined
  const to = fields.get('to')
  switch (given[0]) {
    case 'POINT':
      return touch(fields, time)
    case 'PRESS': {
      const intent = to === undefined ? presses[String(fields.get('PRESS')).toUpperCase()] : undefined
      return intent && [intent]
    }
    case 'TYPE': {
      const content = fields.get('TYPE')
      return typeof content === 'string' && to === undefined ? [typed(content, thousandths)] : undefined
    }
    case 'CLEAR':
      return fields.get('CLEAR') === true && to === undefined ? clearField : undefined
    default:
      if (to !== undefined) return undefined
      return time === undefined ? [] : [{ kind: 'wait', duration: milliseconds(time) }]
  }
}

function touch(fields: Fields, time: number | undefined): Intent[] | undefined {
  const at = pointOf(fields.get('POINT'))
  const to = fields.get('to')
  if (at === undefined) return undefined
  if (to === undefined) {
    if (time === undefined || time < longPressMs) return [{ kind: 'tap', at, button: 1, count: 1 }]
    return [{ kind: 'longPress', at, duration: milliseconds(time) }]
  }
  const direction = directionOf(to)
  if (direction !== undefined) return [{ kind: 'swipe', at, direction }]
  const end = pointOf(to)
  return end && [{ kind: 'stroke', from: at, to: end }]
}

const grammar = { ...jsonGrammar(thousandths), understandObject }

export const agentcpmGui: Family = {
  about: 'AgentCPM-GUI: one compact object with POINT, to, PRESS, TYPE and STATUS.',
  read: reading => readText(reading, grammar),
}
